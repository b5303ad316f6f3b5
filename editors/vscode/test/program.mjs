// The program that the tests talk to, and the examples they use.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../../..');

const candidates = [process.env.SINEW, ...['sinew-tested', 'sinew'].map((name) => path.join(root, 'target/debug', name))];

/** The program, built before. */
export const program = candidates.find((file) => file && existsSync(file));
if (!program) {
  throw new Error('There is no program to test: build it first, or name it in SINEW.');
}
