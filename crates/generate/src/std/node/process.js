// node:process.

import { process } from '../internal/process.js';

export const { env, argv, cwd, platform, version, versions, nextTick, exit, stdout, stderr, stdin, emitWarning, hrtime, arch, pid, title, execPath, execArgv, release, on, once, off, emit, uptime, memoryUsage, umask } = process;
export default process;
