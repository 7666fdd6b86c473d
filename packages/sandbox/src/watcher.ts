import { writeFileSync } from 'node:fs';

import type { Platform, Timer } from '@conv/core/platform';

import { freeSpaces } from './free-space.ts';
import { allowedOf, endInWords, type LimitReached, type Limits } from './limits.ts';
import {
  argumentsOf,
  childrenOf,
  exactMemory,
  firstInside,
  memoryOfDevices,
  startOf,
  useOf,
  type Use,
} from './process-tree.ts';
import { isTransient } from './transient.ts';

/** Milliseconds between two looks, and the longest pause that is made because looking takes long. */
const SOON = 100;
const LONGEST = 500;
/** The part of the time of this process that looking takes while a program works, and while all rest. */
const SHARE_AT_WORK = 0.02;
const SHARE_AT_REST = 0.005;
/** A program grows if it uses so much more of a limit than at the last look, and in its first looks, which have nothing to compare with. */
const GROWTH = 1 / 16;
const FIRST_LOOKS = 5;
/** Looks in which the process of a program must be there after it was announced. */
const LOOKS = 20;
/** Ends that are kept until a tool asks for them. */
const KEPT = 256;
/** The kernel ends these processes before all others when the machine has no memory left. From -1000 to 1000. */
const FIRST_TO_GO = '500';

/** A conversation, and folders on the disks where its programs write. */
export interface WatchedConversation {
  readonly conversationId: string;
  readonly folders: readonly string[];
}

interface Expected extends WatchedConversation {
  /** The bytes that were free on the disk of each folder. */
  readonly free: Promise<ReadonlyMap<string, number>>;
  looks: number;
}

interface Program extends Omit<Expected, 'looks'> {
  /** The process of bubblewrap that this process started, and the start by which it is known from a later one of this number. */
  readonly pid: number;
  readonly started: number;
  /** The first process inside. */
  readonly first: number;
  readonly since: number;
  last: Pick<Use, 'cpu' | 'processes' | 'memory'>;
  looks: number;
  /** True while disks are asked. */
  asks: boolean;
}

type Beyond = Pick<LimitReached, 'limit' | 'used' | 'allowed'>;

/**
 * Looks at the programs that this process starts in a sandbox, and ends programs beyond a limit. It reads `/proc`, from outside, where no program
 * inside can write. Bubblewrap's process is a child of this one, and its child is the first process inside, whose `/proc` lists all others.
 * With the first process the kernel ends all others at once, and lets them start no more.
 *
 * It looks while programs live: ten times a second, and less often, down to twice a second, where a look itself takes much time and no program
 * grows. It holds nothing open between two looks. Where this process can open no more files, it looks again soon.
 */
export class Watcher {
  readonly #platform: Platform;
  readonly #limits: Limits;
  readonly #onLimit: ((reached: LimitReached) => void) | undefined;
  /** The programs to be started, by a word among the arguments of bubblewrap. */
  readonly #expected = new Map<string, Expected>();
  readonly #programs = new Map<number, Program>();
  readonly #ends = new Map<number, string>();
  #timer: Timer | undefined;
  /** The time of the next look. */
  #due = Infinity;
  /** The milliseconds that the last look took. */
  #lastLook = 0;

  constructor(platform: Platform, limits: Limits, onLimit?: (reached: LimitReached) => void) {
    this.#platform = platform;
    this.#limits = limits;
    this.#onLimit = onLimit;
  }

  /** Announces a program. Returns a word that must be among the arguments of the process that this process then starts. */
  expect(conversation: WatchedConversation): string {
    const word = `conv-${this.#platform.id()}`;
    if (Object.values(this.#limits).every((limit) => limit === Infinity)) return word;
    const folders = this.#limits.disk === Infinity ? [] : conversation.folders;
    this.#expected.set(word, { ...conversation, folders, free: freeSpaces(folders), looks: LOOKS });
    this.#lookIn(SOON);
    return word;
  }

  /** Returns, once, why a program was ended; `undefined` if it was not. */
  endOf(pid: number): string | undefined {
    const end = this.#ends.get(pid);
    this.#ends.delete(pid);
    return end;
  }

  /** Stops looking at programs of a conversation, because all have ended. */
  forget(conversationId: string): void {
    for (const [word, expected] of this.#expected)
      if (expected.conversationId === conversationId) this.#expected.delete(word);
    for (const [pid, program] of this.#programs)
      if (program.conversationId === conversationId) this.#programs.delete(pid);
    this.#rest();
  }

  /** Looks after some milliseconds, unless it looks earlier anyway. */
  #lookIn(milliseconds: number): void {
    const due = this.#platform.monotonic() + milliseconds;
    if (due >= this.#due) return;
    this.#timer?.cancel();
    this.#due = due;
    this.#timer = this.#platform.setTimer(milliseconds, () => this.#look(), { background: true });
  }

  /** Stops looking if there is nothing to look at. */
  #rest(): boolean {
    if (this.#expected.size + this.#programs.size > 0) return false;
    this.#timer?.cancel();
    this.#due = Infinity;
    return true;
  }

  #look(): void {
    this.#due = Infinity;
    try {
      this.#lookAtAll();
    } catch (error) {
      if (!isTransient(error)) throw error;
      this.#lookIn(SOON);
    }
  }

  #lookAtAll(): void {
    const began = this.#platform.monotonic();
    if (this.#expected.size > 0) this.#find(began);
    let works = this.#expected.size > 0;
    let grows = false;
    for (const program of this.#programs.values()) {
      if (startOf(program.pid) !== program.started) {
        this.#programs.delete(program.pid);
        continue;
      }
      const use = useOf(program.first, this.#limits.processes);
      if (use === undefined) continue;
      const beyond = this.#beyond(program, use, began);
      if (beyond) this.#end(program, beyond);
      else if (use.cpu !== program.last.cpu) {
        works = true;
        grows ||= this.#grows(program, use);
        void this.#askDisks(program);
      }
      program.last = use;
      program.looks += 1;
    }
    if (this.#rest()) return;
    const pause = this.#pauseAfter(this.#platform.monotonic() - began, works ? SHARE_AT_WORK : SHARE_AT_REST);
    this.#lookIn(grows ? SOON : pause);
  }

  /** Returns the pause after a look. Counts the shorter of two looks, because any work of the machine makes one of them long. */
  #pauseAfter(look: number, share: number): number {
    const time = Math.min(look, this.#lastLook);
    this.#lastLook = look;
    return Math.min(Math.max(SOON, time / share), LONGEST);
  }

  #grows({ last, looks }: Program, use: Use): boolean {
    if (looks < FIRST_LOOKS) return true;
    return (['processes', 'memory'] as const).some((limit) => use[limit] - last[limit] > this.#limits[limit] * GROWTH);
  }

  #find(now: number): void {
    const starting = new Set<string>();
    for (const pid of childrenOf(process.pid)) {
      if (this.#programs.has(pid)) continue;
      const word = argumentsOf(pid).find((argument) => this.#expected.has(argument));
      const expected = this.#expected.get(word ?? '');
      if (word === undefined || expected === undefined) continue;
      // it may be long before it is inside, as on a busy machine
      starting.add(word);
      const started = startOf(pid);
      const first = firstInside(pid);
      const use = first === undefined ? undefined : useOf(first, this.#limits.processes);
      if (started === undefined || first === undefined || use === undefined) continue;
      this.#expected.delete(word);
      // the end of an earlier process of this number, for which no tool asked
      this.#ends.delete(pid);
      for (const folder of use.folders) letGoFirst(folder);
      this.#programs.set(pid, { ...expected, pid, started, first, since: now, last: NOTHING, looks: 0, asks: false });
    }
    for (const [word, expected] of this.#expected)
      if (!starting.has(word) && --expected.looks <= 0) this.#expected.delete(word);
  }

  #beyond({ first, since }: Program, use: Use, now: number): Beyond | undefined {
    const { memory, ...most } = this.#limits;
    const found = { processes: use.processes, cpu: use.cpu, time: (now - since) / 1000 };
    for (const limit of ['processes', 'cpu', 'time'] as const)
      if (found[limit] > most[limit]) return { limit, used: found[limit], allowed: most[limit] };
    const devices = memoryOfDevices(first);
    // what processes share counts for each of them in the sum, which is therefore never too low
    if (use.memory + devices <= memory) return undefined;
    const used = exactMemory(use, devices);
    return used > memory ? { limit: 'memory', used, allowed: memory } : undefined;
  }

  /** Ends a program if the space on a disk has shrunk too much. Call it for programs that work, because others write nothing. */
  async #askDisks(program: Program): Promise<void> {
    if (program.folders.length === 0 || program.asks) return;
    program.asks = true;
    const [free, now] = await Promise.all([program.free, freeSpaces(program.folders)]);
    program.asks = false;
    for (const [folder, before] of free) {
      const used = before - (now.get(folder) ?? before);
      const allowed = allowedOf(this.#limits.disk, before);
      // it may have ended while the disks were asked
      if (used <= allowed || this.#programs.get(program.pid) !== program) continue;
      try {
        this.#end(program, { limit: 'disk', used, allowed });
      } catch (error) {
        // the next look asks again
        if (!isTransient(error)) throw error;
      }
    }
  }

  #end({ conversationId, pid, first }: Program, beyond: Beyond): void {
    // the number may have become that of another process
    const isIt = firstInside(pid) === first;
    this.#programs.delete(pid);
    if (!isIt || !end(first)) return;
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined && this.#ends.size >= KEPT) this.#ends.delete(oldest);
    this.#ends.set(pid, endInWords(beyond));
    this.#onLimit?.({ conversationId, pid, ...beyond });
  }
}

/** The use of a program at which no look was taken. */
const NOTHING = { cpu: -1, processes: 0, memory: 0 };

/** Ends a program with all that it started. Returns false if it had ended. */
function end(first: number): boolean {
  try {
    process.kill(first, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

function letGoFirst(folder: string): void {
  try {
    writeFileSync(`${folder}/oom_score_adj`, FIRST_TO_GO);
  } catch {
    // Ignore the failure: the process has ended, or this one may not lower what it was given.
  }
}
