import type { AnswerDelta, StateFields, Subscriber, ToolOutput } from '@conv/core';
import type { Event } from '@conv/core/events';

import type { NumberedEvent } from './items-of.ts';
import type { Piece } from './streamed-answer.ts';

/** Maximum number of events and states that wait for the reader. The log is read on when it has taken some. */
const EVENTS = 64;

/** Maximum number of characters of pieces and output that wait for the reader. */
const CHARACTERS = 1024 * 1024;

/** Characters that an entry counts beside its text. */
const AROUND = 64;

type Durable = ({ readonly kind: 'event' } & NumberedEvent) | { readonly kind: 'state'; readonly fields: StateFields };

type Passing =
  | { readonly kind: 'piece'; readonly piece: Piece }
  | { readonly kind: 'aborted'; readonly eventId: string; readonly reason: 'cancelled' | 'failed' }
  | { readonly kind: 'output'; readonly output: ToolOutput };

/** Something that a conversation told. */
export type InboxEntry = Durable | Passing;

interface Waiting<Entry> {
  readonly entry: Entry;
  /** Counts all entries in the order in which they came. */
  readonly order: number;
}

interface WaitingPassing extends Waiting<Passing> {
  /** The number of events that were known when it came; it is taken after them. */
  readonly after: number;
}

/**
 * A subscriber that holds what its conversation tells until a reader takes it. Bounded, however slow the reader is: events wait in the
 * log, and pieces above the limit are dropped, which their order shows. A piece is taken after all events that existed when it
 * came, because it belongs to a later one.
 */
export class TurnInbox implements Subscriber {
  readonly #known: () => number;
  readonly #delivered: () => number;
  readonly #durable: Waiting<Durable>[] = [];
  readonly #passing: WaitingPassing[] = [];
  #order = 0;
  /** The number of taken events, with the events before them. */
  #taken = 0;
  #characters = 0;
  #change = Promise.withResolvers<void>();
  /** Holds the subscription back while too many events wait. */
  #room: PromiseWithResolvers<void> | undefined;
  #end: { readonly error?: unknown } | undefined;

  /**
   * @param known returns the number of events that the conversation knows
   * @param delivered returns the number of the next event that the subscription delivers
   */
  constructor(known: () => number, delivered: () => number) {
    this.#known = known;
    this.#delivered = delivered;
  }

  /** The end, when nothing more comes, with the error that caused it. */
  get end(): { readonly error?: unknown } | undefined {
    return this.#end;
  }

  onEvent(event: Event, index: number): Promise<void> | undefined {
    return this.#hold({ kind: 'event', event, index });
  }

  onStateChange(fields: StateFields): Promise<void> | undefined {
    return this.#hold({ kind: 'state', fields });
  }

  onToken(delta: AnswerDelta): void {
    if (!this.#admit(delta.text)) return;
    const last = this.#passing.at(-1);
    if (last?.entry.kind === 'piece' && follows(last.entry.piece, delta)) {
      const { piece } = last.entry;
      const joined = { ...piece, text: piece.text + delta.text, count: piece.count + 1 };
      this.#passing.splice(-1, 1, { ...last, entry: { kind: 'piece', piece: joined } });
      this.#characters -= AROUND;
    } else this.#pass({ kind: 'piece', piece: { ...delta, count: 1 } });
  }

  onAnswerAborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    this.#pass({ kind: 'aborted', eventId, reason });
  }

  onOutput(output: ToolOutput): void {
    if (this.#admit(output.text)) this.#pass({ kind: 'output', output });
  }

  /** Ends the inbox with the reason why the subscription ended by itself. */
  onError(error: unknown): void {
    this.close({ error });
  }

  /** Ends the inbox; what waits can still be taken. */
  close(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end;
    this.#room?.resolve();
    this.ring();
  }

  /** Returns the next entry; `undefined` when there is none at present. */
  take(): InboxEntry | undefined {
    const [passing] = this.#passing;
    const [durable] = this.#durable;
    if (passing && passing.after <= this.position && (durable?.entry.kind !== 'state' || passing.order < durable.order))
      return this.#takePassing(passing);
    if (!durable) return undefined;
    const { entry } = durable;
    this.#durable.shift();
    if (entry.kind === 'event') this.#taken = entry.index + 1;
    this.#room?.resolve();
    this.#room = undefined;
    return entry;
  }

  /** True if every event that the conversation knows was taken. */
  get hasCaughtUp(): boolean {
    return this.#durable.length === 0 && this.position >= this.#known();
  }

  /** The number of the next event that is taken. Events that damage took count as taken. */
  get position(): number {
    const event = this.#durable.map(({ entry }) => entry).find((entry) => entry.kind === 'event');
    return event?.index ?? Math.max(this.#taken, this.#delivered());
  }

  /** Resolves when there may be an entry to take, or the inbox has ended. */
  changed(): Promise<void> {
    return this.#change.promise;
  }

  #takePassing({ entry }: WaitingPassing): Passing {
    this.#passing.shift();
    if (entry.kind === 'piece') this.#characters -= entry.piece.text.length + AROUND;
    if (entry.kind === 'output') this.#characters -= entry.output.text.length + AROUND;
    return entry;
  }

  #hold(entry: Durable): Promise<void> | undefined {
    if (this.#end) return undefined;
    this.#durable.push({ entry, order: this.#order++ });
    this.ring();
    if (this.#durable.length < EVENTS) return undefined;
    return (this.#room ??= Promise.withResolvers<void>()).promise;
  }

  #admit(text: string): boolean {
    const size = text.length + AROUND;
    if (this.#characters + size > CHARACTERS) return false;
    this.#characters += size;
    return true;
  }

  #pass(entry: Passing): void {
    this.#passing.push({ entry, order: this.#order++, after: this.#known() });
    this.ring();
  }

  /** Lets the reader look again. */
  ring(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}

function follows({ kind, eventId, attempt, order, count }: Piece, delta: AnswerDelta): boolean {
  if (kind !== delta.kind || eventId !== delta.eventId || attempt !== delta.attempt) return false;
  return eventId === '' || order + count === delta.order;
}
