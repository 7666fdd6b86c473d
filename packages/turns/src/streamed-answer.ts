import type { AnswerDelta } from '@conv/core';
import type { Event } from '@conv/core/events';

import { answerIn } from './items-of.ts';
import type { PieceChange, WithdrawnChange } from './turn-change.ts';

/** Number of ids that are remembered of answers that are durable or void, because frames of a socket may come late. */
const REMEMBERED = 64;

type Without<Change> = Omit<Change, 'cursor'>;

/** A change that an answer in progress causes. */
export type StreamChange = Without<PieceChange> | Without<WithdrawnChange>;

interface Open {
  readonly id: string;
  readonly attempt: number;
  /** The order of the next piece. */
  next: number;
  text: string;
  reasoning: string;
}

/** Pieces of one answer that came in a row. */
export interface Piece extends AnswerDelta {
  /** The number of pieces that were joined. */
  readonly count: number;
}

/**
 * The answer in progress, in one of its attempts. Invariant: what was told of it is the beginning of the attempt, without a gap. An
 * attempt whose beginning or middle was missed is told as a whole, when its event comes.
 */
export class StreamedAnswer {
  #open: Open | undefined;
  readonly #over = new Set<string>();

  /** Takes in a piece. */
  piece({ kind, text, eventId: id, attempt, order, count }: Piece): readonly StreamChange[] {
    if (this.#over.has(id)) return [];
    // servers that do not tell the id number no pieces either
    const isNumbered = id !== '';
    const changes: StreamChange[] = [];
    let open = this.#open;
    if (open && (open.id !== id || open.attempt !== attempt)) {
      changes.push(...this.#withdraw(open.id === id ? 'retried' : 'replaced'));
      open = undefined;
    }
    if (open && isNumbered && order !== open.next) return this.#withdraw('missed');
    if (!open) {
      if (isNumbered && order !== 0) return changes;
      open = { id, attempt, next: 0, text: '', reasoning: '' };
      this.#open = open;
    }
    open.next += count;
    if (kind === 'tool_call' || text === '') return changes;
    open[kind] += text;
    return [...changes, { type: 'piece', id, part: kind, text, attempt }];
  }

  /** Takes in that an answer ended without an event. */
  aborted(eventId: string, reason: 'cancelled' | 'failed'): readonly StreamChange[] {
    this.#end(eventId);
    return this.#open?.id === eventId ? this.#withdraw(reason) : [];
  }

  /** Takes in that no answer is in progress any more. */
  ended(): readonly StreamChange[] {
    return this.#withdraw('failed');
  }

  /**
   * Takes in an event that became durable. Returns the withdrawal of an answer that is void now, and the numbers of characters of
   * the event's answer that were told before.
   */
  settled(event: Event): {
    readonly changes: readonly StreamChange[];
    readonly text: number;
    readonly reasoning: number;
  } {
    const nothing = { changes: [], text: 0, reasoning: 0 };
    const answer = answerIn(event);
    if (!answer) return nothing;
    this.#end(event.id);
    const open = this.#open;
    if (!open) return nothing;
    const isSame =
      open.id === event.id && answer.text.startsWith(open.text) && answer.reasoning.startsWith(open.reasoning);
    if (!isSame) return { ...nothing, changes: this.#withdraw('replaced') };
    this.#open = undefined;
    return { changes: [], text: open.text.length, reasoning: open.reasoning.length };
  }

  #withdraw(reason: WithdrawnChange['reason']): readonly StreamChange[] {
    const open = this.#open;
    this.#open = undefined;
    return open && (open.text !== '' || open.reasoning !== '') ? [{ type: 'withdrawn', id: open.id, reason }] : [];
  }

  #end(id: string): void {
    this.#over.add(id);
    for (const oldest of this.#over) {
      if (this.#over.size <= REMEMBERED) return;
      this.#over.delete(oldest);
    }
  }
}
