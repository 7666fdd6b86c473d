import { Turns } from '@conv/core/platform';
import type { NumberedEvent, TimelineBlock } from '@conv/visualize/timeline';
import { answeredCall, foldBlocks, openCalls } from './fold-blocks.ts';
import { readPage } from './read-page.ts';
import type { WindowSource } from './window-source.ts';

/** The part of a log that a window shows now. A new object after each change. */
export interface WindowSnapshot {
  /** The number of the first event that is held. */
  readonly first: number;
  /** The number after the last event that is held. */
  readonly end: number;
  /** The number of events of the log. */
  readonly total: number;
  /** The blocks that begin in the window, in the order of the log. */
  readonly blocks: readonly TimelineBlock[];
  /** True if nothing was read yet. */
  readonly loading: boolean;
  /** The reason why the last read failed; `undefined` after a successful read. */
  readonly failure: Error | undefined;
}

/** Sizes of a window. */
export interface WindowOptions {
  /** Events that are held at most. Default 2,000. */
  readonly most?: number;
  /** Events of a read. Default 200. */
  readonly page?: number;
}

/** Events after the end of the window among which results of its calls are looked for. */
const REACH = 400;

/**
 * Holds the part of a log around what a person looks at. It grows by pages at both ends, drops what is far, and follows the log
 * while it stands at its end. It holds a bounded number of events however long the log is.
 */
export class EventWindow {
  readonly #source: WindowSource;
  readonly #most: number;
  readonly #page: number;
  readonly #listeners = new Set<() => void>();
  /** Reads come one after the other, so that each of them finds the window that the one before left. */
  readonly #turns = new Turns();
  readonly #ended = new AbortController();
  #events: readonly NumberedEvent[] = [];
  #answers: readonly NumberedEvent[] = [];
  #first = 0;
  #end = 0;
  /** The number of the event that a person looks at; what is far from it is dropped. */
  #look = 0;
  /** The number after the last event that came live. */
  #delivered: number;
  /** Counts the jumps, so that a read for a place that was left is not shown. */
  #jumps = 0;
  #snapshot: WindowSnapshot;

  constructor(source: WindowSource, { most = 2_000, page = 200 }: WindowOptions = {}) {
    this.#source = source;
    this.#most = most;
    this.#page = page;
    this.#delivered = source.events.length;
    this.#snapshot = { first: 0, end: 0, total: source.events.length, blocks: [], loading: true, failure: undefined };
    source.subscribe(
      { onEvent: (event, index) => this.#admit({ index, event }), onError: (error) => this.#publish(error) },
      { signal: this.#ended.signal },
    );
  }

  /** The window as it is now; the same object until something changes. */
  get snapshot(): WindowSnapshot {
    return this.#snapshot;
  }

  /** Calls the listener after each change; returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells which event a person looks at, so that the window drops what is far from it. */
  look(index: number): void {
    this.#look = index;
  }

  /** Moves to an event. Does nothing but look there if the event is held. Resolves when the window is there. */
  async moveTo(index: number): Promise<void> {
    const place = Math.max(0, Math.min(index, this.#source.events.length - 1));
    this.#look = place;
    const jump = ++this.#jumps;
    await this.#read(async () => {
      if (jump !== this.#jumps || (this.#end > this.#first && this.#first <= place && place < this.#end)) return;
      const from = Math.max(0, place - this.#page);
      const page = await readPage(this.#source.events, from, place + this.#page);
      if (jump === this.#jumps) await this.#hold(page, from, Math.min(place + this.#page, this.#source.events.length));
    });
  }

  /** Moves to the end of the log and follows it. Resolves when the window is there. */
  async toEnd(): Promise<void> {
    const jump = ++this.#jumps;
    await this.#read(async () => {
      // events that come during a read are read by the next one, so the window ends where the log does
      while (jump === this.#jumps && this.#end < this.#source.events.length) {
        const end = this.#source.events.length;
        this.#look = end - 1;
        const from = Math.max(0, end - this.#page);
        const page = await readPage(this.#source.events, from, end);
        if (jump === this.#jumps) await this.#hold(page, from, end);
      }
      if (jump === this.#jumps) this.#look = Math.max(0, this.#end - 1);
    });
  }

  /** Reads the page before or after the window. Does nothing at that end of the log. */
  async extend(side: 'above' | 'below'): Promise<void> {
    const jump = this.#jumps;
    await this.#read(async () => {
      const { length } = this.#source.events;
      const [first, end] = [this.#first, this.#end];
      const [from, to] =
        side === 'above' ? [Math.max(0, first - this.#page), first] : [end, Math.min(length, end + this.#page)];
      if (from >= to || jump !== this.#jumps) return;
      const page = await readPage(this.#source.events, from, to);
      if (jump !== this.#jumps) return;
      // what came live meanwhile is held already
      const fresh = page.filter(({ index }) => index < this.#first || index >= this.#end);
      const events = side === 'above' ? [...fresh, ...this.#events] : [...this.#events, ...fresh];
      await this.#hold(events, Math.min(from, this.#first), Math.max(to, this.#end));
    });
  }

  /** Ends the subscription. Idempotent. */
  close(): void {
    this.#ended.abort();
    this.#listeners.clear();
  }

  async #read(work: () => Promise<void>): Promise<void> {
    try {
      await this.#turns.run(work);
      this.#publish();
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#publish(error);
    }
  }

  /** Replaces the content of the window, and drops events above the bound. */
  async #hold(events: readonly NumberedEvent[], first: number, end: number): Promise<void> {
    const span = this.#bounded(first, end);
    const held = events.filter(({ index }) => index >= span.first && index < span.end);
    const answers = await this.#answersAfter(held, span.end);
    // an event that came live during the look for answers follows these
    const live = this.#end > span.end && this.#first <= span.end && span.end === end ? this.#events : [];
    const later = live.filter(({ index }) => index >= span.end);
    this.#events = [...held, ...later];
    this.#answers = answers.filter(({ index }) => index >= span.end + later.length);
    this.#first = span.first;
    this.#end = span.end + later.length;
  }

  #bounded(first: number, end: number): { readonly first: number; readonly end: number } {
    const extra = end - first - this.#most;
    if (extra <= 0) return { first, end };
    return this.#isNearEnd(first, end) ? { first: first + extra, end } : { first, end: end - extra };
  }

  /** True if a person looks at the later half. */
  #isNearEnd(first: number, end: number): boolean {
    return end - this.#look <= this.#look - first;
  }

  /** Resolves with the results, after the end, of calls near the end. */
  async #answersAfter(held: readonly NumberedEvent[], end: number): Promise<readonly NumberedEvent[]> {
    const open = openCalls(held.filter(({ index }) => index >= end - REACH));
    const answers: NumberedEvent[] = [];
    const last = Math.min(this.#source.events.length, end + REACH);
    for (let from = end; open.size > 0 && from < last; from += this.#page) {
      for (const entry of await readPage(this.#source.events, from, Math.min(last, from + this.#page))) {
        const call = answeredCall(entry);
        if (call !== undefined && open.delete(call)) answers.push(entry);
      }
    }
    return answers;
  }

  #admit(entry: NumberedEvent): void {
    // an event that a read brought already
    if (entry.index < this.#end) {
      this.#delivered = entry.index + 1;
      return;
    }
    // damage may have taken the numbers in between
    const follows = this.#end >= this.#delivered && !this.#snapshot.loading;
    this.#delivered = entry.index + 1;
    if (follows && (this.#end - this.#first < this.#most || this.#isNearEnd(this.#first, this.#end))) {
      const { first } = this.#bounded(this.#first, entry.index + 1);
      this.#events = [...this.#events.filter(({ index }) => index >= first), entry];
      this.#answers = [];
      this.#first = first;
      this.#end = entry.index + 1;
    } else {
      const call = answeredCall(entry);
      if (call !== undefined && openCalls([...this.#events, ...this.#answers]).has(call))
        this.#answers = [...this.#answers, entry];
    }
    if (!this.#snapshot.loading) this.#publish();
  }

  #publish(reason?: unknown): void {
    if (this.#ended.signal.aborted) return;
    const failure =
      reason === undefined || reason instanceof Error ? reason : new Error('reading failed', { cause: reason });
    const held = { first: this.#first, events: this.#events, answers: this.#answers };
    this.#snapshot = {
      first: this.#first,
      end: this.#end,
      total: Math.max(this.#source.events.length, this.#delivered, this.#end),
      blocks: foldBlocks(held, this.#snapshot.blocks),
      loading: failure !== undefined && this.#end === 0 && this.#snapshot.loading,
      failure,
    };
    for (const listener of this.#listeners) listener();
  }
}
