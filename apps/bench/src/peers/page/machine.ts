import { statfsSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type as systemName } from 'node:os';

/** Where and when a comparison ran. */
export interface Machine {
  /** Day of the run, such as `2026-11-30`. */
  readonly date: string;
  readonly processor: string;
  readonly memory: string;
  readonly system: string;
  /** File system of the folder that everything was written to. */
  readonly disk: string;
}

/** Names of file systems by the number that the system gives, where it gives one. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'XFS',
  0x9123683e: 'Btrfs',
  0x794c7630: 'overlayfs',
  0x01021994: 'tmpfs, which flushes nothing',
  0x2fc12fc1: 'ZFS',
};

/** Describes this machine, at this hour. */
export function describeMachine(): Machine {
  const [first] = cpus();
  const { type } = statfsSync(tmpdir());
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: `${cpus().length} × ${first?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${systemName()} ${release()}`,
    disk: FILE_SYSTEMS[type] ?? `type 0x${type.toString(16)}`,
  };
}
