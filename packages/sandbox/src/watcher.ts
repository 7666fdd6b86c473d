import { writeFileSync } from 'node:fs';

import type { Platform, Timer } from '@conv/core/platform';

import { beyondLimits, growsFast, type Beyond } from './beyond-limits.ts';
import { ControlGroups } from './control-groups.ts';
import { freeSpaces } from './free-space.ts';
import { allowedOf, endInWords, type LimitReached, type Limits } from './limits.ts';
import { firstInside, useOf } from './process-tree.ts';
import {
  announced,
  findInside,
  findStarted,
  hasEnded,
  type Inside,
  type Program,
  type WatchedConversation,
} from './program.ts';
import { isTransient } from './transient.ts';

/** Milliseconds between two looks, and the longest pause that is made because looking takes long. */
const SOON = 100;
const LONGEST = 500;
/** The part of the time of this process that looking takes while a program works, and while all rest. */
const SHARE_AT_WORK = 0.02;
const SHARE_AT_REST = 0.005;
/** Ends that are kept until a tool asks for them. */
const KEPT = 256;
/** The kernel ends these processes before all others when the machine has no memory left. From -1000 to 1000. */
const FIRST_TO_GO = '500';

/**
 * Looks at the programs that this process starts in a sandbox, and ends programs beyond a limit. It reads `/proc`, from outside, where no program
 * inside can write. Bubblewrap's process is a child of this one, and its child is the first process inside, whose `/proc` lists all others.
 * With the first process the kernel ends all others at once, and lets them start no more. Where this process can make groups that the kernel
 * bounds, each program gets one as soon as it starts, so that it uses little more than a limit before the next look.
 *
 * It looks while programs live: ten times a second, and less often, down to twice a second, where a look itself takes much time and no program
 * grows. It holds nothing open between two looks. Where this process can open no more files, it looks again soon.
 */
export class Watcher {
  /** Processes that this one has started and that are no programs. Looks pass over them. */
  readonly others: Set<number> = new Set();
  readonly #platform: Platform;
  readonly #limits: Limits;
  readonly #onLimit: ((reached: LimitReached) => void) | undefined;
  readonly #groups: ControlGroups;
  /** The programs that were announced and have not ended, by a word among the arguments of bubblewrap. */
  readonly #programs = new Map<string, Program>();
  readonly #ends = new Map<number, string>();
  #timer: Timer | undefined;
  /** The time of the next look. */
  #due = Infinity;
  /** The milliseconds that the last look took. */
  #lastLook = 0;

  constructor(
    platform: Platform,
    limits: Limits,
    onLimit?: (reached: LimitReached) => void,
    groups: ControlGroups = new ControlGroups(limits),
  ) {
    this.#platform = platform;
    this.#limits = limits;
    this.#onLimit = onLimit;
    this.#groups = groups;
  }

  /** Announces a program. Returns a word that must be among the arguments of the process that this process then starts. */
  expect(conversation: WatchedConversation): string {
    const word = `conv-${this.#platform.id()}`;
    if (Object.values(this.#limits).every((limit) => limit === Infinity)) return word;
    const folders = this.#limits.disk === Infinity ? [] : conversation.folders;
    this.#programs.set(word, announced(word, { ...conversation, folders }, freeSpaces(folders)));
    // the caller starts it at once, and bubblewrap takes a while until the program runs
    if (this.#groups.areHere)
      void this.#platform
        .nextTurn()
        .then(() => this.#try(() => void findStarted(this.#programs, this.#groups, this.others)));
    this.#lookIn(SOON);
    return word;
  }

  /** Returns, once, why a program was ended; `undefined` if it was not. */
  endOf(pid: number): string | undefined {
    // the kernel may have ended it since the last look
    this.#try(() => this.#forgetEnded(pid));
    const end = this.#ends.get(pid);
    this.#ends.delete(pid);
    return end;
  }

  /** Stops looking at programs of a conversation, because all have ended. */
  forget(conversationId: string): void {
    for (const program of this.#programs.values()) if (program.conversationId === conversationId) this.#forget(program);
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

  /** Stops looking if there is nothing to look at, and no group to remove. */
  #rest(): boolean {
    if (!this.#groups.sweep() || this.#programs.size > 0) return false;
    this.#timer?.cancel();
    this.#due = Infinity;
    return true;
  }

  #look(): void {
    this.#due = Infinity;
    if (!this.#try(() => this.#lookAtAll())) this.#lookIn(SOON);
  }

  /** Returns false if this process could open no file now. */
  #try(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!isTransient(error)) throw error;
      return false;
    }
  }

  #lookAtAll(): void {
    const began = this.#platform.monotonic();
    this.#forgetEnded();
    if (this.#isAwaited()) this.#find(began);
    let works = this.#isAwaited();
    let grows = false;
    for (const program of this.#programs.values()) {
      const { inside } = program;
      const use = inside && useOf(inside.first, this.#limits.processes);
      if (inside === undefined || use === undefined) continue;
      const beyond = beyondLimits(inside, use, this.#limits, began);
      if (beyond) this.#end(program, inside, beyond);
      else if (use.cpu !== inside.last.cpu) {
        works = true;
        grows ||= growsFast(inside, use, this.#limits);
        void this.#askDisks(program, inside);
      }
      inside.last = use;
      inside.looks += 1;
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

  /** True if a program was announced that is not inside yet. */
  #isAwaited(): boolean {
    return [...this.#programs.values()].some(({ inside }) => inside === undefined);
  }

  #find(now: number): void {
    const there = findStarted(this.#programs, this.#groups, this.others);
    for (const program of this.#programs.values()) {
      if (program.inside) continue;
      const use = findInside(program, now, this.#limits.processes);
      // the end of an earlier process of this number, for which no tool asked
      if (program.started && use) this.#ends.delete(program.started.pid);
      for (const folder of use?.folders ?? []) letGoFirst(folder);
      if (use === undefined && !there.has(program) && --program.looks <= 0) this.#forget(program);
    }
  }

  /**
   * Forgets the programs that have ended, or that of a process if it has. Notes why if the kernel ended it for its memory, or refused it more processes,
   * of which a program may end before the next look.
   */
  #forgetEnded(pid?: number): void {
    for (const program of this.#programs.values()) {
      const { started } = program;
      if (started === undefined || (pid !== undefined && started.pid !== pid) || !hasEnded(program)) continue;
      const { beyondMemory, beyondProcesses } = started.group ?? {};
      this.#forget(program);
      const [limit, used] =
        beyondMemory === undefined ? (['processes', beyondProcesses] as const) : (['memory', beyondMemory] as const);
      if (used !== undefined) this.#note(program, started.pid, { limit, used, allowed: this.#limits[limit] });
    }
  }

  #forget({ word, started }: Program): void {
    this.#programs.delete(word);
    if (started?.group) this.#groups.remove(started.group.folder);
  }

  /** Ends a program if the space on a disk has shrunk too much. Call it for programs that work, because others write nothing. */
  async #askDisks(program: Program, inside: Inside): Promise<void> {
    if (program.folders.length === 0 || inside.asks) return;
    inside.asks = true;
    const [free, now] = await Promise.all([program.free, freeSpaces(program.folders)]);
    inside.asks = false;
    for (const [folder, before] of free) {
      const used = before - (now.get(folder) ?? before);
      const allowed = allowedOf(this.#limits.disk, before);
      // it may have ended while the disks were asked
      if (used <= allowed || this.#programs.get(program.word) !== program) continue;
      // the next look asks again if it fails
      this.#try(() => this.#end(program, inside, { limit: 'disk', used, allowed }));
    }
  }

  #end(program: Program, { pid, first }: Inside, beyond: Beyond): void {
    // the number may have become that of another process
    const isIt = firstInside(pid) === first;
    this.#forget(program);
    if (isIt && end(first)) this.#note(program, pid, beyond);
  }

  /** Keeps the reason until a tool asks, and tells the embedder. */
  #note({ conversationId }: Program, pid: number, beyond: Beyond): void {
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined && this.#ends.size >= KEPT) this.#ends.delete(oldest);
    this.#ends.set(pid, endInWords(beyond));
    this.#onLimit?.({ conversationId, pid, ...beyond });
  }
}

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
