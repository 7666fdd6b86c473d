import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process of this machine. */
export interface MachineProcess {
  readonly pid: number;
  /** Its command line, in which zeros separate the arguments. */
  readonly line: string;
  /** The folder in which it works, under the name that it has for this process. */
  readonly folder: string;
}

/** Returns the processes of this machine that this user may look at. */
export function processesOfMachine(): readonly MachineProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return [{ pid: Number(name), line, folder: readlinkSync(`/proc/${name}/cwd`) }];
    } catch {
      // it has ended, or belongs to another user
      return [];
    }
  });
}

/** Returns the processes that a process has started. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}
