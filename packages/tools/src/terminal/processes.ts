import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

import type { Platform } from '@conv/core/platform';

/** The system's entry for a process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The session's leader on Linux; elsewhere the terminal's name. */
  readonly session: number | string;
  /** The process group that has the terminal. */
  readonly foreground: number;
  /** The start of the process, in the unit of {@link startClock}. */
  readonly started: number;
}

const TICKS_PER_SECOND = 100;

/** Lists all processes that are alive, without zombies. Throws while this process can open no more files. */
export function listProcesses(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

/** Returns the present time on the clock of {@link ProcessEntry.started}. */
export function startClock({ now }: Pick<Platform, 'now'>): number {
  if (process.platform !== 'linux') return Math.floor(now() / 1000);
  return Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * TICKS_PER_SECOND);
}

/**
 * Returns the processes from the leader of a session to its bash, which knows itself as `pid`. They are one process unless a program
 * confines bash, under whose own numbers bash and its commands run. `undefined` if there is no such bash.
 */
export function chainTo(pid: number, leader: number, all: readonly ProcessEntry[]): readonly number[] | undefined {
  const parents = new Map(all.map((entry) => [entry.pid, entry.parent]));
  const chainOf = (last: number): readonly number[] => {
    const parent = parents.get(last);
    return last === leader || parent === undefined ? [last] : [...chainOf(parent), last];
  };
  const chains = all
    .filter((entry) => entry.session === leader && numberInside(entry.pid) === pid)
    .map((entry) => chainOf(entry.pid))
    .filter(([first]) => first === leader);
  // a container may give the leader the same number as bash has inside
  return chains.toSorted((one, other) => other.length - one.length)[0];
}

/** Returns the number by which a process knows itself. */
function numberInside(pid: number): number {
  try {
    return Number(/^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? pid);
  } catch {
    return pid;
  }
}

/** Returns the processes of a session and their children, without `own`: its leader, bash, and what lies between them. */
export function belongingTo(own: readonly number[], all: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const leader = all.find(({ pid }) => pid === own[0]);
  const session = process.platform === 'linux' ? own[0] : leader?.session;
  const found = new Set(own);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const entry of all) if (entry.session === session || found.has(entry.parent)) found.add(entry.pid);
  }
  return all.filter(({ pid }) => found.has(pid) && !own.includes(pid));
}

/** The most that {@link ProcessEntry.started} may be ahead of {@link startClock}, because the system rounds each. */
export const CLOCK_SKEW: number = process.platform === 'linux' ? 5 : 2;

/**
 * Returns the processes that were started since `clock`. Leaves out `older`, because the clock alone cannot tell apart
 * processes that had just been started. A process of an older job belongs to that job, however young it is.
 */
export function startedSince(
  { clock, older }: { readonly clock: number; readonly older: readonly ProcessEntry[] },
  shell: number,
  entries: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const startOf = new Map(entries.map(({ pid, started }) => [pid, started]));
  const isOlder = new Set(stillAlive(older, entries).map(({ pid }) => pid));
  return entries.filter(({ pid, group, started }) => {
    const job = group === shell ? undefined : startOf.get(group);
    if (isOlder.has(pid) || (job !== undefined && isOlder.has(group))) return false;
    return (job ?? started) >= clock;
  });
}

/** Returns the entries that are still among `all`; a later process with the same id is a different process. */
export function stillAlive(entries: readonly ProcessEntry[], all: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const now = new Map(all.map(({ pid, started }) => [pid, started]));
  return entries.filter(({ pid, started }) => now.get(pid) === started);
}

/** Sends a signal to each process, whether or not it still lives. */
export function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // the process is gone, or this user may not stop it
    }
  }
}

function listFromProc(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const entry = readStat(name);
    if (entry) entries.push(entry);
  }
  return entries;
}

function readStat(name: string): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${name}/stat`, 'latin1');
  } catch (error) {
    // such a failure says nothing about the process
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return undefined;
  }
  // the name in parentheses may hold anything; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const at = (index: number): number => Number(fields[index]);
  return { pid: Number(name), parent: at(1), group: at(2), session: at(3), foreground: at(5), started: at(19) };
}

function listFromPs(): readonly ProcessEntry[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,tpgid=,stat=,tty=,lstart='], {
    encoding: 'utf8',
    // it needs none of our keys, and other processes can read its environment
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, foreground, state = 'Z', terminal = '', ...start] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      // processes without a terminal share no session
      session: /^[?-]/.test(terminal) ? Number(pid) : terminal,
      foreground: Number(foreground),
      started: Math.floor(Date.parse(start.join(' ')) / 1000),
    };
  });
}
