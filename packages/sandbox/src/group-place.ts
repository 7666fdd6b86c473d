import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A folder in which this process makes groups of processes, and the controllers by which the kernel bounds those. */
export interface GroupPlace {
  readonly folder: string;
  readonly controllers: ReadonlySet<string>;
}

/** A hierarchy of groups, and the part of it that is mounted. */
interface Mounted {
  readonly kind: string;
  readonly root: string;
  readonly folder: string;
  readonly options: readonly string[];
}

const WANTED = ['pids', 'memory'];

/** Files of a group that hold `max`, or nothing, where it bounds nothing. */
const BOUNDS = ['cpu.max', 'cpuset.cpus', 'io.max', 'memory.high', 'memory.max', 'memory.swap.max'];

/**
 * Returns the place where this process may make groups that bound processes; `undefined` if it has none. In version 2 of control groups it is the folder of
 * its own group, because a group with processes has no groups with limits in it. A service has such a folder of its own by systemd's
 * `DelegateSubgroup`, and a program of a user's session by its session. In version 1 it is its own group.
 *
 * `processes`: the most that a program will be let start. `self`: the folder in which the kernel tells of this process.
 */
export function groupPlace(processes: number, self = '/proc/self'): GroupPlace | undefined {
  const groups = linesOf(`${self}/cgroup`).map((line) => line.split(':'));
  const mounts = linesOf(`${self}/mountinfo`).flatMap(mountedIn);
  const own = (kind: string, controller: string): string | undefined => {
    const [, , ...path] = groups.find((group) => group[1]?.split(',').includes(controller)) ?? [];
    const fits = (mount: Mounted): boolean =>
      mount.kind === kind && (kind === 'cgroup2' || mount.options.includes(controller));
    return path.length === 0 ? undefined : folderIn(mounts.filter(fits), path.join(':'));
  };
  return unifiedPlace(own('cgroup2', ''), processes) ?? firstPlace(own('cgroup', 'pids'));
}

function unifiedPlace(own: string | undefined, processes: number): GroupPlace | undefined {
  if (own === undefined) return undefined;
  const isTop = readOf(join(own, 'cgroup.type')) === undefined;
  const folder = isTop ? own : dirname(own);
  if (!isWritable(folder) || !(isTop || isFree(own, processes))) return undefined;
  const controllers = enabledIn(folder);
  return controllers.has('pids') ? { folder, controllers } : undefined;
}

function firstPlace(own: string | undefined): GroupPlace | undefined {
  return own !== undefined && isWritable(own) ? { folder: own, controllers: new Set(['pids']) } : undefined;
}

/** True if a program beside this group may use no more than one in it, so that it leaves no limits of an administrator. */
function isFree(own: string, processes: number): boolean {
  const [most = 'max'] = wordsOf(join(own, 'pids.max'));
  const bounds = BOUNDS.flatMap((name) => wordsOf(join(own, name)).slice(0, 1));
  return bounds.every((word) => word === 'max') && (most === 'max' || Number(most) >= processes);
}

/** Returns the controllers of the groups in a folder. Asks for the wanted controllers that the folder lacks and can have. */
function enabledIn(folder: string): ReadonlySet<string> {
  const enabled = (): ReadonlySet<string> => new Set(wordsOf(join(folder, 'cgroup.subtree_control')));
  const available = wordsOf(join(folder, 'cgroup.controllers'));
  const missing = WANTED.filter((name) => available.includes(name) && !enabled().has(name));
  try {
    if (missing.length > 0)
      writeFileSync(join(folder, 'cgroup.subtree_control'), missing.map((name) => `+${name}`).join(' '));
  } catch {
    // the folder has processes itself, or belongs to others
  }
  return enabled();
}

/** Reads a line of https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html that tells of control groups. */
function mountedIn(line: string): readonly Mounted[] {
  const [mount = '', system = ''] = line.split(' - ');
  const [, , , root = '', folder = ''] = mount.split(' ');
  const [kind = '', , options = ''] = system.split(' ');
  return kind.startsWith('cgroup') ? [{ kind, root, folder, options: options.split(',') }] : [];
}

function folderIn(mounts: readonly Mounted[], path: string): string | undefined {
  // a group outside of what this process sees of the hierarchy
  if (path.split('/').includes('..')) return undefined;
  const mount = mounts.find(({ root }) => !relative(root, path).startsWith('..'));
  return mount && join(mount.folder, relative(mount.root, path));
}

function isWritable(folder: string): boolean {
  try {
    for (const path of [folder, join(folder, 'cgroup.procs')]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function linesOf(file: string): readonly string[] {
  return (readOf(file) ?? '').split('\n').filter(Boolean);
}

function wordsOf(file: string): readonly string[] {
  return (readOf(file) ?? '').split(/\s+/).filter(Boolean);
}

function readOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
