// node:timers.

import { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from '../internal/timers.js';

export { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout };
export default { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout };
