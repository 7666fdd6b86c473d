import { Turns } from '@conv/core/platform';
import type { NumberedEvent, TimelineBlock } from '@conv/visualize/timeline';
import { answeredCall, foldBlocks, openCalls } from './fold-blocks.ts';
import { boundSpan, type HeldSpan } from './held-span.ts';
import { readDown, readPage, readUp } from './read-page.ts';
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
  /** Bytes of the held events as JSON at most; a single event may have more. Default 32 MiB. */
  readonly mostBytes?: number;
  /** Events of a read. Default 200. */
  readonly page?: number;
}

/** Events after the end of the window among which results of its calls are looked for. */
const REACH = 400;

/** An event that came live, and the number of the event that was expected then. */
interface Arrival {
  readonly entry: NumberedEvent;
  readonly expected: number;
}

/**
 * Holds the part of a log around what a person looks at. It grows by pages at both ends, drops what is far, and follows the log
 * while it stands at its end. It holds a bounded number of events and bytes, however long the log is.
 */
export class EventWindow {
  readonly #source: WindowSource;
  readonly #most: { readonly events: number; readonly bytes: number };
  readonly #page: number;
  readonly #listeners = new Set<() => void>();
  /** Reads come one after the other, so that each of them finds the window that the one before left. */
  readonly #turns = new Turns();
  readonly #ended = new AbortController();
  #held: HeldSpan = { first: 0, end: 0, events: [] };
  /** Results, from beyond the end, of calls that are held. */
  #answers: readonly NumberedEvent[] = [];
  /** The number of the event that a person looks at; what is far from it is dropped. */
  #look = 0;
  /** The number after the last event that came live. */
  #delivered: number;
  /** Events that came live during the read that runs: it does not know them, and the window must not lose them. */
  #arrivals: Arrival[] = [];
  /** Counts the jumps, so that a read for a place that was left is not shown. */
  #jumps = 0;
  /** The places that were looked at when a side was cut: a read at that side would be cut again. */
  #cut: { readonly above?: number; readonly below?: number } = {};
  /** The reads beside the window that wait or run, each with the jump that it belongs to. */
  readonly #extensions = new Map<'above' | 'below', { readonly jump: number; readonly ended: Promise<void> }>();
  #snapshot: WindowSnapshot;
  /** The events from which the blocks of the snapshot were folded. */
  #folded: { readonly held: HeldSpan; readonly answers: readonly NumberedEvent[] } | undefined;

  constructor(source: WindowSource, { most = 2_000, mostBytes = 32 * 1024 * 1024, page = 200 }: WindowOptions = {}) {
    this.#source = source;
    this.#most = { events: most, bytes: mostBytes };
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
      if (jump !== this.#jumps || (this.#held.first <= place && place < this.#held.end)) return;
      const { events } = this.#source;
      const bytes = this.#most.bytes / 4;
      const after = await readUp(events, place, place + this.#page, bytes);
      const before = await readDown(events, Math.max(0, place - this.#page), place, bytes);
      const read = { first: before.first, end: after.end, events: [...before.events, ...after.events] };
      if (jump === this.#jumps) await this.#hold(read);
    });
  }

  /** Moves to the end of the log and follows it. Resolves when the window is there. */
  async toEnd(): Promise<void> {
    const jump = ++this.#jumps;
    await this.#read(async () => {
      // events that come during a read are read by the next one, so the window ends where the log does
      while (jump === this.#jumps && this.#held.end < this.#source.events.length) {
        const end = this.#source.events.length;
        this.#look = end - 1;
        const read = await readDown(this.#source.events, Math.max(0, end - this.#page), end, this.#most.bytes / 2);
        if (jump === this.#jumps) await this.#hold(read);
      }
      if (jump === this.#jumps) this.#look = Math.max(0, this.#held.end - 1);
    });
  }

  /** Reads the page before or after the window. Does nothing at that end of the log, or when the bounds leave no room for it. */
  extend(side: 'above' | 'below'): Promise<void> {
    const jump = this.#jumps;
    const running = this.#extensions.get(side);
    if (running?.jump === jump) return running.ended;
    const ended = this.#read(async () => {
      if (jump === this.#jumps && this.#cut[side] !== this.#look) await this.#readBeside(side, jump);
      if (this.#extensions.get(side)?.jump === jump) this.#extensions.delete(side);
    });
    this.#extensions.set(side, { jump, ended });
    return ended;
  }

  /** Ends the subscription. Idempotent. */
  close(): void {
    this.#ended.abort();
    this.#listeners.clear();
  }

  async #readBeside(side: 'above' | 'below', jump: number): Promise<void> {
    const { events } = this.#source;
    const { first, end } = this.#held;
    const bytes = this.#most.bytes / 4;
    const read =
      side === 'above'
        ? await readDown(events, Math.max(0, first - this.#page), first, bytes)
        : await readUp(events, end, end + this.#page, bytes);
    if (read.first === read.end || jump !== this.#jumps) return;
    // what came live meanwhile is held already, and may have moved both ends of the window
    const held = this.#held;
    const [before, after] = side === 'above' ? [read, held] : [held, read];
    if (before.end < after.first) return;
    const later = after.events.filter(({ index }) => index >= before.end);
    await this.#hold({
      first: before.first,
      end: Math.max(before.end, after.end),
      events: [...before.events, ...later],
    });
  }

  async #read(work: () => Promise<void>): Promise<void> {
    try {
      await this.#turns.run(() => {
        this.#arrivals = [];
        return work();
      });
      this.#publish();
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#publish(error);
    }
  }

  /** Replaces the content of the window, within its bounds, and adds what came live while it was read. */
  async #hold(read: HeldSpan): Promise<void> {
    const held = boundSpan(read, this.#look, this.#most);
    if (held.first > read.first) this.#cut = { ...this.#cut, above: this.#look };
    if (held.end < read.end) this.#cut = { ...this.#cut, below: this.#look };
    const answers = await this.#answersAfter(held);
    this.#held = held;
    this.#answers = answers;
    for (const { entry, expected } of this.#arrivals) this.#place(entry, expected);
  }

  /** Resolves with the results, after the end, of calls near the end. */
  async #answersAfter({ events, end }: HeldSpan): Promise<readonly NumberedEvent[]> {
    const open = openCalls(events.filter(({ index }) => index >= end - REACH));
    const answers: NumberedEvent[] = [];
    // the log may grow meanwhile
    const last = (): number => Math.min(this.#source.events.length, end + REACH);
    for (let from = end; open.size > 0 && from < last();) {
      const to = Math.min(last(), from + this.#page);
      for (const entry of await readPage(this.#source.events, from, to)) {
        const call = answeredCall(entry);
        if (call !== undefined && open.delete(call)) answers.push(entry);
      }
      from = to;
    }
    return answers;
  }

  #admit(entry: NumberedEvent): void {
    const expected = this.#delivered;
    this.#delivered = entry.index + 1;
    // more than a window of them is read when a person goes there
    this.#arrivals = [...this.#arrivals.slice(1 - this.#most.events), { entry, expected }];
    const { loading } = this.#snapshot;
    if (!loading) this.#place(entry, expected);
    if (!loading) this.#publish();
  }

  /** Adds an event that came live: to the end if the window stands there and has room, else as the result of a call. */
  #place(entry: NumberedEvent, expected: number): void {
    const { first, end, events } = this.#held;
    // a read brought it already
    if (entry.index < end) return;
    // damage may have taken the numbers in between
    if (end >= expected) {
      const held = boundSpan({ first, end: entry.index + 1, events: [...events, entry] }, this.#look, this.#most);
      if (held.end === entry.index + 1) {
        this.#held = held;
        this.#answers = this.#answers.filter(({ index }) => index > entry.index);
        return;
      }
    }
    const call = answeredCall(entry);
    if (call !== undefined && openCalls([...events, ...this.#answers]).has(call))
      this.#answers = [...this.#answers, entry];
  }

  #publish(reason?: unknown): void {
    if (this.#ended.signal.aborted) return;
    const failure =
      reason === undefined || reason instanceof Error ? reason : new Error('reading failed', { cause: reason });
    const before = this.#snapshot;
    const [held, answers] = [this.#held, this.#answers];
    const { first, end, events } = held;
    const isFolded = this.#folded?.held === held && this.#folded.answers === answers;
    const total = Math.max(this.#source.events.length, this.#delivered, end);
    const loading = failure !== undefined && end === 0 && before.loading;
    // a step of the scrubber to an event that is held changes nothing
    if (isFolded && total === before.total && loading === before.loading && failure === before.failure) return;
    const blocks = isFolded ? before.blocks : foldBlocks({ first, events, answers }, before.blocks);
    this.#folded = { held, answers };
    this.#snapshot = { first, end, total, blocks, loading, failure };
    for (const listener of this.#listeners) listener();
  }
}
