import type { Timer } from '@conv/core/platform';

import type { OpenHandsMirror, MirroredState, MirrorEvent } from './openhands-mirror.ts';

/** Milliseconds until `base_state.json` shows a commit, unless the commit is guarded. */
const STATE_DELAY = 250;
/** Milliseconds for which event files are collected in the mode `always`, so that the next flush need not wait. */
const EVENTS_DELAY = 10;
/** The number of waiting event files that are written without waiting for more. */
const EVENTS_AT_ONCE = 64;
/** In the mode `deferred`: milliseconds without a commit before the files of its events are written. */
const IDLE_DELAY = 1000;
/** The highest number of waiting events that are kept. Beyond it they are read from the log again. */
const KEPT_EVENTS = 4096;
/** The highest number of waiting events in the mode `always` before appends wait, so that the files keep up. */
const BACKLOG = 512;

/** The time of writing OpenHands' files. `always`: once commits are acknowledged. `deferred`: in idle time, and on closing. */
export type MirrorMode = 'always' | 'deferred';

/** The journal, as far as a {@link MirrorWriter} needs it. */
export interface MirrorSource {
  /** The events from one number to before another, from the log. */
  eventsFromLog(from: number, to: number): AsyncIterable<MirrorEvent>;
  /** Returns the end of the durable log. */
  end(): { readonly seq: number; readonly event: number };
  /** The state after all durable commits. */
  state(): Promise<MirroredState>;
  /** Returns true if the files are still ours to write. */
  owns(): boolean;
  /** Called when a write failed. The next commit tries again. */
  failed(error: unknown): void;
}

/** Writes OpenHands' files after the log, one job at a time. Their failure never fails a commit. */
export class MirrorWriter {
  readonly #mirror: OpenHandsMirror;
  readonly #source: MirrorSource;
  readonly #mode: MirrorMode;
  #waiting: MirrorEvent[] = [];
  #timer: Timer | undefined;
  #eventsTimer: Timer | undefined;
  #work: Promise<void> = Promise.resolve();
  #eventsScheduled = false;
  /** Work that goes before all other work, at the next pause of the running job. */
  #urgent: (() => Promise<void>)[] = [];
  #stateSeq: number;

  /** `stateSeq`: the number of commits that `base_state.json` is known to show; -1 if that is not known. */
  constructor(mirror: OpenHandsMirror, source: MirrorSource, mode: MirrorMode, stateSeq: number) {
    this.#mirror = mirror;
    this.#source = source;
    this.#mode = mode;
    this.#stateSeq = stateSeq;
  }

  /** Takes in events that are durable. Their files are written soon. */
  add(events: readonly MirrorEvent[]): void {
    this.#waiting.push(...events);
    if (this.#waiting.length > KEPT_EVENTS) this.#waiting = [];
    if (this.#mode === 'always') this.#scheduleEvents();
    this.#scheduleState();
  }

  /** True if the files show the whole log. */
  get complete(): boolean {
    const { seq, event } = this.#source.end();
    return this.#mirror.events === event && this.#stateSeq === seq;
  }

  /** Resolves when the files have kept up, at once if appends need not wait for them. */
  async keepUp(): Promise<void> {
    if (this.#mode === 'always' && this.#waiting.length > BACKLOG) await this.#work;
  }

  /** Writes everything that is missing. Resolves when it is written or has failed. */
  finish(): Promise<void> {
    this.#clearTimers();
    return this.#enqueue(async () => {
      if (this.complete) return;
      // The state follows the events, because they decide which HEAD must be named.
      await this.#writeEvents();
      const state = await this.#source.state();
      if (state.seq !== this.#stateSeq) await this.#mirror.writeState(state, { head: 'auto', durable: false });
      this.#stateSeq = state.seq;
    });
  }

  /**
   * Writes the state durably and before other work: for a commit that must not be acknowledged before the files show
   * it. Resolves even if that failed, which is reported. `movesHead`: the commit moves HEAD to an event that was there
   * before.
   */
  writeNow(movesHead: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#urgent.push(async () => {
      try {
        await this.#writeGuarded(movesHead);
      } finally {
        resolve();
      }
    });
    // A running job does the urgent work at its next pause, long before this turn in the queue comes. Without a running
    // job, the turn does it.
    return Promise.race([promise, this.#enqueue(() => this.#runUrgent())]);
  }

  /** Does other work on the mirror in its turn. */
  inTurn(work: (mirror: OpenHandsMirror) => Promise<void>): Promise<void> {
    return this.#enqueue(() => work(this.#mirror));
  }

  /** Lets urgent work, and the rest of the process, go first. Resolves with true if the job may continue. */
  readonly pause = async (): Promise<boolean> => {
    await this.#mirror.platform.nextTurn();
    await this.#runUrgent();
    return this.#source.owns();
  };

  /** Stops writing. Resolves when nothing is being written. */
  async stop(): Promise<void> {
    this.#clearTimers();
    this.#waiting = [];
    await this.#work;
  }

  #scheduleEvents(): void {
    if (this.#waiting.length >= EVENTS_AT_ONCE) this.#startEvents();
    else
      this.#eventsTimer ??= this.#mirror.platform.setTimer(EVENTS_DELAY, () => this.#startEvents(), {
        background: true,
      });
  }

  #startEvents(): void {
    this.#eventsTimer?.cancel();
    this.#eventsTimer = undefined;
    if (this.#eventsScheduled) return;
    this.#eventsScheduled = true;
    void this.#enqueue(async () => {
      this.#eventsScheduled = false;
      await this.#writeEvents();
    });
  }

  #scheduleState(): void {
    const deferred = this.#mode === 'deferred';
    if (this.#timer && !deferred) return;
    this.#timer?.cancel();
    const delay = deferred ? IDLE_DELAY : STATE_DELAY;
    this.#timer = this.#mirror.platform.setTimer(delay, () => void this.finish(), { background: true });
  }

  #clearTimers(): void {
    this.#timer?.cancel();
    this.#eventsTimer?.cancel();
    this.#timer = undefined;
    this.#eventsTimer = undefined;
  }

  async #writeEvents(): Promise<void> {
    const kept = this.#waiting;
    this.#waiting = [];
    const firstKept = kept[0]?.index ?? this.#source.end().event;
    let block: MirrorEvent[] = [];
    const missing = this.#mirror.events < firstKept ? this.#source.eventsFromLog(this.#mirror.events, firstKept) : [];
    for await (const event of missing) {
      if (block.push(event) < BACKLOG) continue;
      await this.#addEvents(block);
      block = [];
    }
    await this.#addEvents([...block, ...kept]);
  }

  /** Writes files with the state as it is by then: urgent work may have written a newer one since the last block. */
  async #addEvents(block: readonly MirrorEvent[]): Promise<void> {
    await this.#mirror.addEvents(block, await this.#source.state(), this.pause);
  }

  async #writeGuarded(movesHead: boolean): Promise<void> {
    const state = await this.#source.state();
    const lags = this.#mirror.events < this.#source.end().event;
    const head = !lags ? 'auto' : movesHead ? 'moved' : 'lagging';
    await this.#mirror.writeState(state, { head, durable: true });
    // While event files are missing, -1 makes the next job decide again which HEAD to name.
    this.#stateSeq = lags ? -1 : state.seq;
  }

  async #runUrgent(): Promise<void> {
    for (let work = this.#urgent.shift(); work; work = this.#urgent.shift()) await work();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const result = this.#work.then(async () => {
      // The fence of a job: it may have waited while another owner took the files over. {@link OwnFiles} looks again at
      // each rename.
      if (!this.#source.owns()) return;
      await work();
    });
    this.#work = result.catch((error: unknown) => this.#source.failed(error));
    return this.#work;
  }
}
