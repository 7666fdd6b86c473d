import type { AnswerDelta } from '@conv/core';

/** Characters of a text under way that are kept; an answer that is longer is whole in the log when it is durable. */
const KEPT = 16_000;

/** The texts that arrive before their events: what the model writes, and what the running tool prints. */
export class StreamedText {
  #answer = '';
  #reasoning = '';
  #output = '';
  #attempt = 0;
  #eventId = '';
  #endedId = '';

  /** The answer so far. */
  get answer(): string {
    return this.#answer;
  }

  /** The reasoning so far, until the answer begins. */
  get reasoning(): string {
    return this.#answer === '' ? this.#reasoning : '';
  }

  /** The output of the running tool so far. */
  get output(): string {
    return this.#output;
  }

  /** Takes a piece of an answer. Another answer, or another attempt at it, begins anew. */
  add({ kind, text, attempt, eventId }: AnswerDelta): void {
    if (eventId === this.#endedId) return;
    if (attempt !== this.#attempt || eventId !== this.#eventId) this.#clear();
    this.#attempt = attempt;
    this.#eventId = eventId;
    if (kind === 'text') this.#answer = (this.#answer + text).slice(-KEPT);
    if (kind === 'reasoning') this.#reasoning = (this.#reasoning + text).slice(-KEPT);
  }

  /** Takes a piece of what the running tool prints. */
  addOutput(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT);
  }

  /** Forgets the answer with the event of this id, which is there or never going to be. Pieces that come late are left out. */
  endAnswer(eventId: string): void {
    this.#endedId = eventId;
    this.#clear();
  }

  /** Forgets the output: its result is there. */
  endOutput(): void {
    this.#output = '';
  }

  #clear(): void {
    this.#answer = '';
    this.#reasoning = '';
  }
}
