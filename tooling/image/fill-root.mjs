import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { neededLibraries } from './needed-libraries.mjs';
import { systemFiles } from './system-files.mjs';

/** The user of the image. */
const USER = 1000;

const ACCOUNTS = `root:x:0:0:root:/nowhere:/bin/false\nagent:x:${USER}:${USER}:agent:/data/home:/bin/bash\n`;
const GROUPS = `root:x:0:\nagent:x:${USER}:\n`;

/**
 * Fills an empty folder with a system: programs of this machine, the libraries that they and the server's native parts load, Node
 * and certificates.
 *
 * @param {string} to
 * @param {readonly string[]} nativeParts
 */
export function fillRoot(to, nativeParts) {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(to, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(to, name));
  }
  const files = systemFiles();
  for (const file of files) take(file, to, { follow: false });
  const node = process.execPath;
  const programs = files.filter((file) => lstatSync(file).isFile());
  for (const library of neededLibraries([node, ...programs, ...nativeParts])) take(library, to, { follow: true });
  // The server's user may execute it and not read it: the kernel then keeps what is in /proc of its processes from every process
  // of that user, agents' commands too.
  copyFileSync(node, join(to, 'usr/bin/conv-node'));
  chmodSync(join(to, 'usr/bin/conv-node'), 0o711);
  // the same for the first process, which has the same environment
  chmodSync(join(to, 'usr/bin/catatonit'), 0o711);
  symlinkSync('conv-node', join(to, 'usr/bin/node'));
  symlinkSync('mawk', join(to, 'usr/bin/awk'));
  take('/etc/ssl/certs/ca-certificates.crt', to, { follow: true });
  writeFileSync(join(to, 'etc/passwd'), ACCOUNTS);
  writeFileSync(join(to, 'etc/group'), GROUPS);
  writeFileSync(join(to, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  // Volumes start as copies of these folders, and the container may run as any user.
  for (const name of ['data', 'data/home', 'workspace', 'tmp', 'run', 'proc', 'sys', 'dev']) {
    mkdirSync(join(to, name), { recursive: true });
    chmodSync(join(to, name), /^(?:data|workspace|tmp)/.test(name) ? 0o777 : 0o755);
  }
}

/**
 * Copies a file to its path in a system, unless it is there. `follow`: what a link leads to, else the link.
 *
 * @param {string} path
 * @param {string} to
 * @param {{ follow: boolean }} how
 */
export function take(path, to, { follow }) {
  const target = join(to, path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/'));
  if (lstatSync(target, { throwIfNoEntry: false })) return;
  mkdirSync(dirname(target), { recursive: true });
  if (!follow && lstatSync(path).isSymbolicLink()) return symlinkSync(readlinkSync(path), target);
  copyFileSync(path, target);
  // nothing of the image takes another user's rights
  chmodSync(target, statSync(path).mode & 0o755);
}
