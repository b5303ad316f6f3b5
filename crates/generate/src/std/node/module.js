// node:module.

import { createRequire } from '../internal/commonjs.js';
import { unavailable } from '../internal/unavailable.js';

export { createRequire };
export const builtinModules = ['assert', 'buffer', 'crypto', 'events', 'fs', 'module', 'os', 'path', 'process', 'querystring', 'string_decoder', 'timers', 'url', 'util'];
export const isBuiltin = (name) => builtinModules.includes(String(name).replace(/^node:/, ''));

const Module = Object.assign(unavailable('node:module.Module'), {});
export { Module };
export default { createRequire, builtinModules, isBuiltin, Module };
