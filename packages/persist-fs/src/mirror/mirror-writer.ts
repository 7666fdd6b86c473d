import { setImmediate } from 'node:timers/promises';
import type { CompatibleView, ViewedState, ViewEvent } from './openhands-mirror.ts';

/** Milliseconds from a commit to `base_state.json` saying so, unless the commit is guarded. */
const STATE_DELAY = 250;
/** In the mode `always`: milliseconds in which event files are collected, so that they do not stand in the way of the next flush. */
const EVENTS_DELAY = 10;
/** This many are written without waiting. */
const EVENTS_AT_ONCE = 64;
/** In the mode `deferred`: milliseconds without a commit before the files of its events are written. */
const IDLE_DELAY = 1000;
/** More waiting events than this are read from the log again instead of being kept. */
const KEPT_EVENTS = 4096;
/** More waiting events than this make appends wait in the mode `always`, so that the view keeps up. */
const BACKLOG = 512;

/** When the view is written: as soon as commits are acknowledged, or when there is nothing else to do and on closing. */
export type ViewMode = 'always' | 'deferred';

/** What a {@link ViewWriter} needs of its journal. */
export interface ViewSource {
  /** The events from one number to before another, from the log. */
  eventsFromLog(from: number, to: number): AsyncIterable<ViewEvent>;
  /** Where the durable log ends. */
  end(): { readonly seq: number; readonly event: number };
  /** The state after all durable commits. */
  state(): Promise<ViewedState>;
  /** Whether the view is still ours to write. */
  owns(): boolean;
  /** The view failed; it is tried again with the next commit. */
  failed(error: unknown): void;
}

/** Writes the view behind the log, one thing at a time. */
export class ViewWriter {
  readonly #view: CompatibleView;
  readonly #source: ViewSource;
  readonly #mode: ViewMode;
  #waiting: ViewEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #eventsTimer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #eventsScheduled = false;
  /** Work that goes before all other, at the next pause of what is being written. */
  #urgent: (() => Promise<void>)[] = [];
  #stateSeq: number;

  /** `stateSeq`: the commits that `base_state.json` is known to show; -1 when that is not known. */
  constructor(view: CompatibleView, source: ViewSource, mode: ViewMode, stateSeq: number) {
    this.#view = view;
    this.#source = source;
    this.#mode = mode;
    this.#stateSeq = stateSeq;
  }

  /** Events that are durable; their files are written soon. */
  add(events: readonly ViewEvent[]): void {
    this.#waiting.push(...events);
    if (this.#waiting.length > KEPT_EVENTS) this.#waiting = [];
    if (this.#mode === 'always') this.#scheduleEvents();
    this.#scheduleState();
  }

  /** Whether the files show the whole log. */
  get complete(): boolean {
    const { seq, event } = this.#source.end();
    return this.#view.events === event && this.#stateSeq === seq;
  }

  /** Resolves when the files have kept up, or at once when nobody needs to wait. */
  async keepUp(): Promise<void> {
    if (this.#mode === 'always' && this.#waiting.length > BACKLOG) await this.#work;
  }

  /** Writes everything that is missing. Resolves when it is written or has failed. */
  finish(): Promise<void> {
    this.#clearTimers();
    return this.#enqueue(async () => {
      if (this.complete) return;
      // The state follows the events: which HEAD must be named depends on them.
      await this.#writeEvents();
      const state = await this.#source.state();
      if (state.seq !== this.#stateSeq) await this.#view.writeState(state, { head: 'auto', durable: false });
      this.#stateSeq = state.seq;
    });
  }

  /**
   * Writes the state before other work, and durably: for a commit that must not be acknowledged before the files say so.
   * `movesHead`: the commit moves HEAD to an event that was there before.
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
    // Its turn in the queue may come long after it was done at a pause; it is the one that counts when nothing is being written.
    return Promise.race([promise, this.#enqueue(() => this.#runUrgent())]);
  }

  /** Does other work on the view in its turn. */
  inTurn(work: (view: CompatibleView) => Promise<void>): Promise<void> {
    return this.#enqueue(() => work(this.#view));
  }

  /** Lets what is urgent, and the rest of the process, go first. Resolves whether to go on. */
  readonly pause = async (): Promise<boolean> => {
    await setImmediate();
    await this.#runUrgent();
    return this.#source.owns();
  };

  /** Resolves when nothing is being written. Nothing will be, either. */
  async stop(): Promise<void> {
    this.#clearTimers();
    this.#waiting = [];
    await this.#work;
  }

  #scheduleEvents(): void {
    if (this.#waiting.length >= EVENTS_AT_ONCE) this.#startEvents();
    else this.#eventsTimer ??= setTimeout(() => this.#startEvents(), EVENTS_DELAY).unref();
  }

  #startEvents(): void {
    clearTimeout(this.#eventsTimer);
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
    if (!this.#timer) this.#timer = setTimeout(() => void this.finish(), deferred ? IDLE_DELAY : STATE_DELAY).unref();
    else if (deferred) this.#timer.refresh();
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#eventsTimer);
    this.#timer = undefined;
    this.#eventsTimer = undefined;
  }

  async #writeEvents(): Promise<void> {
    const kept = this.#waiting;
    this.#waiting = [];
    const firstKept = kept[0]?.index ?? this.#source.end().event;
    let block: ViewEvent[] = [];
    const missing = this.#view.events < firstKept ? this.#source.eventsFromLog(this.#view.events, firstKept) : [];
    for await (const event of missing) {
      if (block.push(event) < BACKLOG) continue;
      await this.#addEvents(block);
      block = [];
    }
    await this.#addEvents([...block, ...kept]);
  }

  /** With the state as it is by then: a guarded one may have been written since the last block. */
  async #addEvents(block: readonly ViewEvent[]): Promise<void> {
    await this.#view.addEvents(block, await this.#source.state(), this.pause);
  }

  async #writeGuarded(movesHead: boolean): Promise<void> {
    const state = await this.#source.state();
    const lags = this.#view.events < this.#source.end().event;
    const head = !lags ? 'auto' : movesHead ? 'moved' : 'lagging';
    await this.#view.writeState(state, { head, durable: true });
    // With the missing event files the question which HEAD to name is asked again.
    this.#stateSeq = lags ? -1 : state.seq;
  }

  async #runUrgent(): Promise<void> {
    for (let work = this.#urgent.shift(); work; work = this.#urgent.shift()) await work();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const result = this.#work.then(async () => {
      if (!this.#source.owns()) return;
      await work();
    });
    this.#work = result.catch((error: unknown) => this.#source.failed(error));
    return this.#work;
  }
}
