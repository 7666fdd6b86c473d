import { execFile } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type as systemName } from 'node:os';
import { promisify } from 'node:util';

import type { Machine, Part } from '../result.ts';

const run = promisify(execFile);

/** Names of file systems by the number that the system gives, where it gives one. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'XFS',
  0x9123683e: 'Btrfs',
  0x794c7630: 'overlayfs',
  0x01021994: 'tmpfs, which flushes nothing',
  0x2fc12fc1: 'ZFS',
};

/** Describes this machine. */
export function describeMachine(): Machine {
  const [first] = cpus();
  const { type } = statfsSync(tmpdir());
  return {
    processor: `${cpus().length} × ${first?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${systemName()} ${release()}`,
    disk: FILE_SYSTEMS[type] ?? `type 0x${type.toString(16)}`,
  };
}

/** Describes a part of a run that begins now, with the commit of ours that is measured. */
export async function describePart(): Promise<Part> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', args, { cwd: import.meta.dirname })).stdout.trim();
  const date = new Date().toISOString().slice(0, 10);
  try {
    const changed = await git('status', '--porcelain', '--untracked-files=no');
    return { date, commit: `${await git('rev-parse', '--short=12', 'HEAD')}${changed === '' ? '' : ', with changes'}` };
  } catch {
    // a copy without its history
    return { date, commit: 'unknown' };
  }
}
