// node:fs/promises.

import { promises } from './fs.js';

export const { readFile, stat, lstat, readdir, access, realpath, constants, writeFile, appendFile, mkdir, mkdtemp, rm, rmdir, unlink, rename, copyFile, open } = promises;
export default promises;
