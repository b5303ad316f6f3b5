// Finds the program that serves: what the settings say, else the one in the extension, else the one on the path.
import * as fs from 'node:fs';
import * as path from 'node:path';

export interface Surroundings {
  /** The setting `sinew.server.path`. */
  configured: string;
  /** The folder of the extension. */
  extensionFolder: string;
  platform: NodeJS.Platform;
  /** The variable PATH. */
  searchPath: string;
}

/** The program, or undefined where there is none. */
export function findServer(surroundings: Surroundings): string | undefined {
  const { configured, extensionFolder, platform, searchPath } = surroundings;
  const name = platform === 'win32' ? 'sinew.exe' : 'sinew';
  if (configured !== '') {
    const expanded = configured.replace(/^~(?=[/\\])/, process.env.HOME ?? '~');
    return isFile(expanded) ? expanded : undefined;
  }
  const folders = [path.join(extensionFolder, 'server'), ...searchPath.split(path.delimiter)];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, name))
    .find(isFile);
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
