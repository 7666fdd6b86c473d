import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { neededLibraries } from './needed-libraries.mjs';

/** A program that ends at once with success, on every Linux. */
const PROGRAM = '/usr/bin/true';

/** Milliseconds in which a small container runs. */
const LONGEST = 60_000;

/**
 * Returns the reason why Podman runs no container with limits and a network on this machine; `undefined` if it does. Takes a second: the
 * container has one program and its libraries, from a folder.
 *
 * @returns {string | undefined}
 */
export function containerProblem() {
  const folder = mkdtempSync(join(tmpdir(), 'conv-container-'));
  try {
    for (const file of [PROGRAM, ...neededLibraries([PROGRAM])]) {
      const target = join(folder, file);
      mkdirSync(join(target, '..'), { recursive: true });
      execFileSync('cp', ['--dereference', file, target]);
    }
    const limits = [
      '--ulimit',
      'nofile=256:256',
      '--ulimit',
      'nproc=1000:1000',
      '--memory',
      '64m',
      '--pids-limit',
      '16',
    ];
    const args = ['run', '--rm', ...limits, '--network', 'podman', '--rootfs', folder, PROGRAM];
    const limited = /** @type {const} */ ({ encoding: 'utf8', timeout: LONGEST, killSignal: 'SIGKILL' });
    const { status, stderr, error } = spawnSync('podman', args, limited);
    if (status === 0) return undefined;
    return `podman runs no container (${(error?.message ?? stderr.trim().split('\n').at(-1)) || `status ${status}`})`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
