// What Node has and scripts here do not: it can be imported, but not used.

const REASONS = {
  child_process: 'scripts cannot start processes',
  cluster: 'scripts cannot start processes',
  worker_threads: 'scripts run in one thread',
  http: 'scripts have no network',
  http2: 'scripts have no network',
  https: 'scripts have no network',
  net: 'scripts have no network',
  tls: 'scripts have no network',
  dgram: 'scripts have no network',
  dns: 'scripts have no network',
  inspector: 'there is no debugger',
  readline: 'scripts do not talk to people; use parameters (`-p name=value`)',
  repl: 'scripts do not talk to people; use parameters (`-p name=value`)',
  tty: 'scripts do not talk to people; use parameters (`-p name=value`)',
};

const reasonFor = (name) => REASONS[name.replace(/^node:/, '').split(/[./]/)[0]] ?? 'it is not part of what scripts can use here';

// A function or class of that name that says so when it is used. It has members of its own kind, so that packages can
// derive classes from it without calling any.
export function unavailable(name, reason = reasonFor(name)) {
  const refuse = function () {
    throw new Error(`${name} is not available in Sinew: ${reason}`);
  };
  Object.defineProperty(refuse, 'name', { value: name });
  return new Proxy(refuse, {
    get(target, key) {
      if (key in target || typeof key === 'symbol' || key === 'then' || key === 'default' || key === '__esModule') return target[key];
      return unavailable(`${name}.${key}`, reason);
    },
  });
}
