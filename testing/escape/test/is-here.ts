import { spawnSync } from 'node:child_process';

/** True where bubblewrap works. */
export const isHere: boolean = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
