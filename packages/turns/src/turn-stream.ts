import { checks, type Conversation, type StateFields } from '@conv/core';
import { eventGuards } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';

import { withDecision } from './call-decision.ts';
import { findCall, turnStart } from './find-call.ts';
import { answeredCall, itemsOf, type NumberedEvent } from './items-of.ts';
import { OpenCalls } from './open-calls.ts';
import { StreamedAnswer, type StreamChange } from './streamed-answer.ts';
import type { StateChange, TurnChange } from './turn-change.ts';
import { TurnInbox, type InboxEntry } from './turn-inbox.ts';
import type { CallItem, TurnItem } from './turn-item.ts';

/** Options of `turns`. */
export interface TurnsOptions {
  /**
   * The cursor: the number of the last event that the client has, from the `cursor` of a change; -1 for the whole log. Default: the
   * beginning of the newest turn, which is the newest message of the user.
   */
  readonly after?: number;
  /** Ends the iteration, which then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** The reason of the end of each iteration. Nothing tells it, and an error that each end made would take longer than the end. */
const OVER = new Error('the iteration has ended');

/** The parts of a conversation that `turns` reads. */
export type FollowedConversation = Pick<Conversation, 'events' | 'state' | 'subscribe'>;

/** The iteration of `turns`, which can tell when its reader has everything. */
export class TurnStream implements AsyncIterableIterator<TurnChange> {
  readonly #conversation: FollowedConversation;
  readonly #inbox: TurnInbox;
  readonly #changes: AsyncGenerator<TurnChange>;
  readonly #calls = new OpenCalls();
  readonly #answer = new StreamedAnswer();
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal | undefined;
  #position: (() => number) | undefined;
  #cursor = -1;
  #told: Pick<StateChange, 'status' | 'metrics'> | undefined;
  /** Called when the reader has taken everything that existed when it was added. */
  #waiting: (() => void)[] = [];
  #caughtUp: ((index: number) => Promise<void>) | undefined;
  #isLast = false;

  constructor(conversation: FollowedConversation, { after, signal }: TurnsOptions) {
    const { events } = conversation;
    const { length } = events;
    if (after !== undefined && !(Number.isInteger(after) && after >= -1 && after < length))
      throw checks.invalid(
        `turns: after: expected the number of an event, from -1 to ${length - 1}, found ${JSON.stringify(after)}; start again without a cursor`,
      );
    this.#conversation = conversation;
    this.#signal = signal;
    this.#inbox = new TurnInbox(
      () => events.length,
      () => this.#position?.() ?? 0,
    );
    const end = (): void => this.#inbox.close();
    signal?.addEventListener('abort', end, { once: true, signal: this.#ended.signal });
    if (after !== undefined) this.#follow(after + 1);
    this.#changes = this.#tell(after === undefined);
  }

  next(): Promise<IteratorResult<TurnChange>> {
    return this.#changes.next();
  }

  async return(): Promise<IteratorResult<TurnChange>> {
    this.#stop();
    return this.#changes.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves when the reader has taken everything that exists now, or the iteration has ended. */
  caughtUp(): Promise<void> {
    if (this.#ended.signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#ring();
    return promise;
  }

  /** Ends the iteration when the reader has taken everything that exists now. */
  finish(): void {
    this.#isLast = true;
    this.#ring();
  }

  /** Lets the iteration look again. Nothing tells of the last events if damage took them. */
  #ring(): void {
    this.#inbox.ring();
    void this.#caughtUp?.(this.#conversation.events.length).then(() => this.#inbox.ring());
  }

  #follow(from: number): void {
    this.#cursor = from - 1;
    const subscription = this.#conversation.subscribe(this.#inbox, {
      from: toEventIndex(from),
      signal: this.#ended.signal,
    });
    this.#position = () => subscription.position;
    this.#caughtUp = (index) => subscription.caughtUp(toEventIndex(index));
    // a subscription has no other sign of its end
    void subscription.caughtUp(toEventIndex(Number.MAX_SAFE_INTEGER)).then(() => this.#inbox.close());
    this.#ring();
  }

  #stop(): void {
    this.#inbox.close();
    this.#ended.abort(OVER);
    for (const done of this.#waiting.splice(0)) done();
  }

  async *#tell(fromTurn: boolean): AsyncGenerator<TurnChange> {
    try {
      this.#signal?.throwIfAborted();
      if (fromTurn) this.#follow(await turnStart(this.#conversation.events));
      for (;;) {
        if (!this.#told && this.#inbox.hasCaughtUp) yield* this.#state(this.#conversation.state);
        const entry = this.#inbox.take();
        this.#signal?.throwIfAborted();
        if (entry) yield* this.#take(entry);
        else if (this.#inbox.end) break;
        else if (this.#isAwaited && this.#inbox.hasCaughtUp) {
          const [isLast, { length }] = [this.#isLast, this.#waiting];
          // a reader has taken a change when it asks for the next one
          yield* this.#state(this.#conversation.state);
          for (const done of this.#waiting.splice(0, length)) done();
          if (isLast) break;
        } else await this.#inbox.changed();
      }
      if (this.#inbox.end?.error !== undefined) throw this.#inbox.end.error;
    } finally {
      this.#stop();
    }
  }

  /** True if the reader is to know that it has everything. */
  get #isAwaited(): boolean {
    return this.#isLast || this.#waiting.length > 0;
  }

  async *#take(entry: InboxEntry): AsyncGenerator<TurnChange> {
    if (entry.kind === 'event') yield* this.#event(entry);
    if (entry.kind === 'state') yield* this.#state(entry.fields);
    if (entry.kind === 'piece') yield* this.#stream(this.#answer.piece(entry.piece));
    if (entry.kind === 'aborted') yield* this.#stream(this.#answer.aborted(entry.eventId, entry.reason));
    if (entry.kind === 'output') yield { type: 'output', ...entry.output, cursor: this.#cursor };
  }

  *#stream(changes: readonly StreamChange[]): Generator<TurnChange> {
    for (const change of changes) yield { ...change, cursor: this.#cursor };
  }

  async *#event(entry: NumberedEvent): AsyncGenerator<TurnChange> {
    const { event, index } = entry;
    const { changes, ...streamed } = this.#answer.settled(event);
    yield* this.#stream(changes);
    const items = await this.#itemsOf(entry);
    for (const [place, item] of items.entries()) {
      if (item.kind === 'call' && item.phase !== 'done') this.#calls.add(item);
      // only the last change of an event tells it completely
      const cursor = place === items.length - 1 ? index : index - 1;
      const isStreamed = item.kind === 'answer' && item.id === event.id;
      this.#cursor = cursor;
      yield { type: 'item', item, streamed: isStreamed ? streamed : { text: 0, reasoning: 0 }, cursor };
    }
    this.#cursor = index;
  }

  async #itemsOf(entry: NumberedEvent): Promise<readonly TurnItem[]> {
    const { event, index } = entry;
    if (!eventGuards.isObservationLike(event)) return itemsOf(entry);
    const call = this.#calls.take(event) ?? (await findCall(this.#conversation.events, event, index));
    if (!call) return [];
    const { state } = this.#conversation;
    return answeredCall(call, event, index).map((item) => withDecision(item, state));
  }

  async *#state(fields: Pick<StateFields, 'id' | 'executionStatus' | 'calls' | 'extra'>): AsyncGenerator<TurnChange> {
    const { state } = this.#conversation;
    for (const item of await this.#calls.update(this.#conversation, fields, this.#cursor)) yield this.#phase(item);
    const status = fields.executionStatus;
    // the state is one of the past for a reader that is behind; a newer run may have begun
    if (status !== 'running' && state.executionStatus !== 'running') yield* this.#stream(this.#answer.ended());
    const { metrics } = state;
    const isKnown = this.#told?.status === status && isSame(this.#told.metrics, metrics);
    if (isKnown) return;
    this.#told = { status, metrics };
    yield { type: 'state', status, metrics, cursor: this.#cursor };
  }

  #phase(item: CallItem): TurnChange {
    return { type: 'item', item, streamed: { text: 0, reasoning: 0 }, cursor: this.#cursor };
  }
}

function isSame(one: StateChange['metrics'], other: StateChange['metrics']): boolean {
  return (Object.keys(one) as (keyof typeof one)[]).every((name) => one[name] === other[name]);
}
