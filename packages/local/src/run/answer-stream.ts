import type { ConversationState, TokenDelta } from '@conv/core';
import type { Event, EventDraft } from '@conv/core/events';

import type { Safeguards } from '../safeguards/safeguards.ts';
import { MaskedTokens } from './masked-tokens.ts';

/**
 * Streams the answer of a model while it arrives. Its pieces carry the id of their later event, so that a client can replace the
 * pieces by the event. Each published id becomes the id of an event, or is reported as aborted.
 */
export class AnswerStream {
  readonly #state: ConversationState;
  readonly #masked: MaskedTokens | undefined;
  #eventId: string | undefined;
  #attempt = 0;
  #order = 0;
  #storing: Promise<unknown> | undefined;

  constructor(state: ConversationState, { secrets }: Pick<Safeguards, 'secrets'>) {
    this.#state = state;
    this.#masked = secrets && new MaskedTokens(secrets.masker, (delta) => this.#publish(delta));
  }

  write(delta: TokenDelta): void {
    if (this.#masked) this.#masked.write(delta);
    else this.#publish(delta);
  }

  /** Stores the events of an answer with `write`; the event of the pieces gets their id. */
  async store(
    drafts: readonly EventDraft[],
    write: (drafts: readonly EventDraft[]) => Promise<readonly Event[]>,
  ): Promise<readonly Event[]> {
    // publish the rest of the pieces before the answer
    this.#masked?.flush();
    const id = this.#eventId;
    const index = id === undefined ? -1 : drafts.findIndex(isAnswer);
    if (id === undefined || index === -1) return write(drafts);
    const storing = write(drafts.with(index, { ...drafts[index], id } as EventDraft));
    this.#storing = storing;
    // the step may be abandoned during the await; `end` then waits for this write, and reports the id only if it was not stored
    const events = await storing;
    if (this.#eventId === id) this.#eventId = undefined;
    return events;
  }

  /** Reports an answer that was not stored as aborted. Waits first for a write in progress. */
  async end(reason: 'cancelled' | 'failed'): Promise<void> {
    this.#masked?.flush();
    await Promise.allSettled([this.#storing]);
    const id = this.#eventId;
    if (id !== undefined)
      this.#state.subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onAnswerAborted?.(id, reason)));
    this.#eventId = undefined;
  }

  #publish(delta: TokenDelta): void {
    if (this.#eventId === undefined || delta.attempt !== this.#attempt) this.#order = 0;
    this.#eventId ??= this.#state.platform.id();
    this.#attempt = delta.attempt;
    const piece = { ...delta, eventId: this.#eventId, order: this.#order++ };
    this.#state.subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onToken?.(piece)));
  }
}

/** True if a draft can be the event of the pieces. */
function isAnswer({ kind, source, id }: EventDraft): boolean {
  return id === undefined && source === 'agent' && (kind === 'MessageEvent' || kind === 'ActionEvent');
}
