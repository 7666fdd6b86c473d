import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync, writeSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';

import { groupPlace, type GroupPlace } from './group-place.ts';
import { mostByKernel } from './kernel-limits.ts';
import type { Limits } from './limits.ts';
import { startOf, withDescendants } from './process-tree.ts';
import { isTransient } from './transient.ts';

/** Begins the names of groups. The process that makes a group follows. */
const PREFIX = 'conv-sandbox-';
/** The kernel ends a program with so many times its memory. More than the limit, so that the watcher ends it before. */
const MORE_MEMORY = 9 / 8;
/** The looks that are made for the removal of a group alone. The kernel removes none before its processes are gone. */
const TRIES = 50;

/** Codes of a process that this one may not move. */
const REFUSED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EOPNOTSUPP']);

/** The limits of a group. */
export type GroupLimits = Pick<Limits, 'processes' | 'memory'>;

/**
 * Groups in which the kernel itself bounds programs, also between two looks of the watcher: their processes, and their memory where the place of groups bounds
 * it. There are none where this process may make none.
 */
export class ControlGroups {
  readonly #limits: GroupLimits;
  readonly #find: (processes: number) => GroupPlace | undefined;
  /** `false`: not looked for yet. */
  #place: GroupPlace | undefined | false = false;
  /** The folders of groups whose programs have ended, with the looks that are left for each. */
  readonly #ended = new Map<string, number>();

  constructor(limits: GroupLimits, find: (processes: number) => GroupPlace | undefined = groupPlace) {
    this.#limits = limits;
    this.#find = find;
  }

  /** True if programs get groups. */
  get areHere(): boolean {
    return this.#placeOfAll() !== undefined;
  }

  /** Makes the group of a program, known by a word. Returns `undefined` if this process may not, or cannot now. */
  make(word: string): ControlGroup | undefined {
    const place = this.#placeOfAll();
    if (!place) return undefined;
    const folder = join(place.folder, `${PREFIX}${process.pid}-${word}`);
    try {
      mkdirSync(folder);
      for (const [name, value] of boundsIn(place, this.#limits)) writeFileSync(join(folder, name), String(value));
      return new ControlGroup(folder, () => (this.#place = undefined));
    } catch (error) {
      this.remove(folder);
      if (!isTransient(error)) this.#place = undefined;
      return undefined;
    }
  }

  /** Removes the folder of a group whose program has ended, now or in {@link sweep}. */
  remove(folder: string): void {
    this.#ended.set(folder, TRIES);
    this.sweep();
  }

  /**
   * Removes groups whose processes are gone by now. Returns true if no further look is wanted: none is left, or only such as lasted longer than
   * all looks for them, which go when this is called for another program.
   */
  sweep(): boolean {
    for (const [folder, looks] of this.#ended)
      if (isRemoved(folder)) this.#ended.delete(folder);
      else this.#ended.set(folder, Math.max(0, looks - 1));
    return [...this.#ended.values()].every((looks) => looks === 0);
  }

  #placeOfAll(): GroupPlace | undefined {
    if (this.#place !== false) return this.#place;
    const { processes, memory } = this.#limits;
    this.#place = processes === Infinity && memory === Infinity ? undefined : this.#find(mostByKernel(processes));
    if (this.#place) removeLeftovers(this.#place.folder);
    return this.#place;
  }
}

/** The group of one program. */
export class ControlGroup {
  readonly folder: string;
  readonly #onRefused: () => void;
  #isMoving = false;

  /** `onRefused`: called if this process may move no process into the group. */
  constructor(folder: string, onRefused: () => void) {
    this.folder = folder;
    this.#onRefused = onRefused;
  }

  /**
   * Moves a process and all that it has started into the group, unless they are there. Their later children begin there. Never rejects: after a failure
   * it can be called again.
   */
  async take(pid: number): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    try {
      if (this.#outside(pid).length > 0) await this.#moveAll(pid);
    } catch (error) {
      // else the process or the group is gone, or this process can open no file now
      if (hasCode(error, REFUSED)) this.#onRefused();
    } finally {
      this.#isMoving = false;
    }
  }

  /** The bytes of memory at which the kernel ended the program; `undefined` if it did not. */
  get beyondMemory(): number | undefined {
    return this.#boundAfter('memory', /^oom_kill [1-9]/m);
  }

  /** The number of processes behind which the kernel refused another one to the program; `undefined` if it did not. */
  get beyondProcesses(): number | undefined {
    return this.#boundAfter('pids', /^max [1-9]/m);
  }

  /** Returns a bound of the group if the kernel tells of such an event. */
  #boundAfter(name: string, event: RegExp): number | undefined {
    try {
      if (!event.test(readFileSync(join(this.folder, `${name}.events`), 'utf8'))) return undefined;
      return Number(readFileSync(join(this.folder, `${name}.max`), 'utf8'));
    } catch {
      // the group bounds nothing of this kind
      return undefined;
    }
  }

  async #moveAll(pid: number): Promise<void> {
    const procs = await open(join(this.folder, 'cgroup.procs'), constants.O_WRONLY);
    try {
      // the first write in a while waits many milliseconds for all processors, so it must not hold up this process; the next ones do not wait
      await procs.write(String(pid));
      // a process that has ended cannot be moved, and may still be listed
      const tried = new Set([pid]);
      for (;;) {
        const left = this.#outside(pid).filter((one) => !tried.has(one));
        if (left.length === 0) return;
        for (const one of left) {
          tried.add(one);
          moveNow(procs.fd, one);
        }
      }
    } finally {
      await procs.close();
    }
  }

  /** Returns the processes that are not in the group. The group is read last, because it has all that is started in it meanwhile. */
  #outside(pid: number): readonly number[] {
    const all = withDescendants(pid);
    const inside = new Set(readFileSync(join(this.folder, 'cgroup.procs'), 'utf8').split('\n').map(Number));
    return all.filter((one) => !inside.has(one));
  }
}

/** Returns the files of a group that bound it, and their values. */
function boundsIn({ controllers }: GroupPlace, { processes, memory }: GroupLimits): readonly [string, number][] {
  const bounds: [string, number][] = [];
  // the process of bubblewrap outside counts too, so the group refuses one before the limit of the user namespace, which tells nothing
  if (processes !== Infinity) bounds.push(['pids.max', mostByKernel(processes)]);
  // a program of which the kernel has ended a part would not know it, so it ends the whole
  if (memory !== Infinity && controllers.has('memory'))
    bounds.push(['memory.max', Math.floor(memory * MORE_MEMORY)], ['memory.oom.group', 1]);
  return bounds;
}

function moveNow(procs: number, pid: number): void {
  try {
    writeSync(procs, String(pid));
  } catch (error) {
    if (!hasCode(error, GONE)) throw error;
  }
}

/** Removes empty groups of processes that have ended, such as a server that was killed. */
function removeLeftovers(place: string): void {
  const named = new RegExp(`^${PREFIX}(\\d+)-`);
  try {
    for (const name of readdirSync(place)) {
      const [, pid] = named.exec(name) ?? [];
      if (pid !== undefined && startOf(Number(pid)) === undefined) isRemoved(join(place, name));
    }
  } catch {
    // the next start of a server removes them
  }
}

/** Removes a group. Returns false if it has processes. */
function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return !hasCode(error, BUSY);
  }
}

const GONE: ReadonlySet<unknown> = new Set(['ESRCH']);
const BUSY: ReadonlySet<unknown> = new Set(['EBUSY']);

function hasCode(error: unknown, codes: ReadonlySet<unknown>): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code);
}
