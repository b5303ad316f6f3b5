// node:os: a machine without properties, so that output does not depend on one.

export const EOL = '\n';
export const platform = () => 'linux';
export const type = () => 'Linux';
export const arch = () => 'x64';
export const release = () => '0';
export const version = () => '0';
export const machine = () => 'x86_64';
export const hostname = () => 'localhost';
export const homedir = () => '/';
export const tmpdir = () => '/tmp';
export const endianness = () => 'LE';
export const cpus = () => [];
export const availableParallelism = () => 1;
export const totalmem = () => 0;
export const freemem = () => 0;
export const loadavg = () => [0, 0, 0];
export const uptime = () => 0;
export const networkInterfaces = () => ({});
export const userInfo = () => ({ username: 'sinew', uid: 0, gid: 0, shell: null, homedir: '/' });
export const constants = { signals: {}, errno: {} };
export const devNull = '/dev/null';

export default {
  EOL, platform, type, arch, release, version, machine, hostname, homedir, tmpdir, endianness, cpus, availableParallelism, totalmem, freemem, loadavg, uptime,
  networkInterfaces, userInfo, constants, devNull,
};
