import type { AnswerEnd, ConversationState, TokenDelta } from '@conv/core';
import type { Event, EventDraft } from '@conv/core/events';

import type { Controls } from '../safeguards/safeguards.ts';
import { MaskedTokens } from './masked-tokens.ts';

/**
 * The answer of a model while it arrives. Its pieces carry the id that its event is going to have, so that who watches can put
 * the event where the pieces were. Each id that was given out is the id of an event, or is said to have come to nothing.
 */
export class AnswerStream {
  readonly #state: ConversationState;
  readonly #masked: MaskedTokens | undefined;
  #eventId: string | undefined;
  #attempt = 0;
  #order = 0;
  #storing: Promise<unknown> | undefined;

  constructor(state: ConversationState, { secrets }: Pick<Controls, 'secrets'>) {
    this.#state = state;
    this.#masked = secrets && new MaskedTokens(secrets.masker, (delta) => this.#publish(delta));
  }

  write(delta: TokenDelta): void {
    if (this.#masked) this.#masked.write(delta);
    else this.#publish(delta);
  }

  /** Stores the events of an answer with `write`; the one that the pieces belong to gets their id. */
  async store(
    drafts: readonly EventDraft[],
    write: (drafts: readonly EventDraft[]) => Promise<readonly Event[]>,
  ): Promise<readonly Event[]> {
    // the rest of an answer's pieces comes before the answer
    this.#masked?.flush();
    const id = this.#eventId;
    const index = id === undefined ? -1 : drafts.findIndex(isAnswer);
    if (id === undefined || index === -1) return write(drafts);
    const storing = write(drafts.with(index, { ...drafts[index], id } as EventDraft));
    this.#storing = storing;
    const events = await storing;
    if (this.#eventId === id) this.#eventId = undefined;
    return events;
  }

  /** Says of an answer that was not stored that it came to nothing. What is on its way into the log is waited for first. */
  async end(reason: AnswerEnd): Promise<void> {
    this.#masked?.flush();
    await Promise.allSettled([this.#storing]);
    if (this.#eventId !== undefined) this.#state.publishAnswerAborted(this.#eventId, reason);
    this.#eventId = undefined;
  }

  #publish(delta: TokenDelta): void {
    if (this.#eventId === undefined || delta.attempt !== this.#attempt) this.#order = 0;
    this.#eventId ??= this.#state.newId();
    this.#attempt = delta.attempt;
    this.#state.publishToken({ ...delta, eventId: this.#eventId, order: this.#order++ });
  }
}

/** Whether a draft can be what the pieces of an answer were of. */
function isAnswer({ kind, source, id }: EventDraft): boolean {
  return id === undefined && source === 'agent' && (kind === 'MessageEvent' || kind === 'ActionEvent');
}
