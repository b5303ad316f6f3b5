// `process`, as far as packages ask for it: nothing of the machine, and only those variables that the user allows.

import { host } from './host.js';
import { unavailable } from './unavailable.js';

const nothing = () => process;
const stream = (fd, write) => ({ fd, isTTY: false, columns: 80, write: (text) => (write(String(text)), true), on: nothing, once: nothing, end: nothing });

export const process = {
  title: 'sinew',
  env: host.environment(),
  argv: ['sinew'],
  execArgv: [],
  execPath: '/sinew',
  pid: 1,
  ppid: 0,
  arch: 'x64',
  platform: 'linux',
  version: 'v22.0.0',
  versions: { node: '22.0.0', sinew: '1' },
  release: { name: 'node' },
  features: {},
  config: { variables: {} },
  exitCode: undefined,
  browser: false,
  cwd: () => host.inputFolder(),
  umask: () => 18,
  uptime: () => 0,
  hrtime: Object.assign(() => [0, 0], { bigint: () => 0n }),
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  nextTick: (callback, ...values) => queueMicrotask(() => callback(...values)),
  emitWarning: (warning) => host.log(`warning: ${warning?.message ?? warning}`),
  stdout: stream(1, (text) => host.print(text.toWellFormed())),
  stderr: stream(2, (text) => host.log(text.replace(/\n$/, '').toWellFormed())),
  stdin: { fd: 0, isTTY: false, on: nothing, once: nothing },
  exit(code = 0) {
    throw new Error(`the script called process.exit(${code}); throw an error to fail, return to succeed`);
  },
  abort: unavailable('process.abort'),
  chdir: unavailable('process.chdir'),
  kill: unavailable('process.kill'),
  binding: unavailable('process.binding'),
  dlopen: unavailable('process.dlopen'),
  on: nothing,
  once: nothing,
  off: nothing,
  addListener: nothing,
  removeListener: nothing,
  removeAllListeners: nothing,
  emit: () => false,
  listeners: () => [],
  listenerCount: () => 0,
};
Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
