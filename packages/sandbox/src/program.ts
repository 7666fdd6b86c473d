import type { ControlGroup, ControlGroups } from './control-groups.ts';
import { argumentsOf, childrenOf, firstInside, startOf, useOf, type Use } from './process-tree.ts';

/** Looks in which the process of a program must be there after the program was announced. */
const LOOKS = 20;

/** A conversation, and folders on the disks where its programs write. */
export interface WatchedConversation {
  readonly conversationId: string;
  readonly folders: readonly string[];
}

/** A program of a sandbox: announced by a word, then started, then inside. */
export interface Program extends WatchedConversation {
  readonly word: string;
  /** The bytes that were free on the disk of each folder. */
  readonly free: Promise<ReadonlyMap<string, number>>;
  /** The looks that are left in which its process must be there. */
  looks: number;
  started?: Started;
  inside?: Inside;
}

/** The process of bubblewrap, a child of this process. */
export interface Started {
  readonly pid: number;
  /** The start by which it is known from a later process of this number. */
  readonly at: number;
  readonly group: ControlGroup | undefined;
}

/** A program that runs in finished mounts. */
export interface Inside {
  readonly pid: number;
  /** The first process inside. */
  readonly first: number;
  readonly since: number;
  last: Pick<Use, 'cpu' | 'processes' | 'memory'>;
  /** Looks that were taken at it. */
  looks: number;
  /** True while disks are asked. */
  asks: boolean;
}

/** The use of a program at which no look was taken. */
const NOTHING = { cpu: -1, processes: 0, memory: 0 };

/** Makes a program that is to be started. */
export function announced(word: string, conversation: WatchedConversation, free: Program['free']): Program {
  return { word, ...conversation, free, looks: LOOKS };
}

/** True if the process of a program was there, and has ended. */
export function hasEnded({ started }: Program): boolean {
  return started !== undefined && startOf(started.pid) !== started.at;
}

/**
 * Finds the processes of announced programs by their words, and moves them into groups of their own. Returns the programs whose process is there.
 * `others`: processes that are none of them.
 */
export function findStarted(
  programs: ReadonlyMap<string, Program>,
  groups: ControlGroups,
  others: ReadonlySet<number>,
): ReadonlySet<Program> {
  const there = new Set<Program>();
  const known = new Set([...others, ...[...programs.values()].map(({ inside }) => inside?.pid)]);
  for (const pid of childrenOf(process.pid)) {
    if (known.has(pid)) continue;
    const program = programs.get(argumentsOf(pid).find((argument) => programs.has(argument)) ?? '');
    const at = startOf(pid);
    if (program === undefined || at === undefined) continue;
    program.started ??= { pid, at, group: groups.make(program.word) };
    void program.started.group?.take(pid);
    there.add(program);
  }
  return there;
}

/** Finds out if a started program is inside by now. Returns its use if it is. */
export function findInside(program: Program, now: number, most: number): Use | undefined {
  if (program.started === undefined) return undefined;
  const { pid, group } = program.started;
  // it may be long before it is inside, as on a busy machine
  const first = firstInside(pid);
  const use = first === undefined ? undefined : useOf(first, most);
  if (first === undefined || use === undefined) return undefined;
  // what it started while it was moved
  void group?.take(pid);
  program.inside = { pid, first, since: now, last: NOTHING, looks: 0, asks: false };
  return use;
}
