import type { Conversation } from '@conv/core';
import { type LiveAnswer, withDelta } from './answer-delta.ts';

/** Collects the pieces of answers of a conversation until their events are in the log. */
export class LiveAnswers {
  readonly #listeners = new Set<() => void>();
  readonly #ended = new AbortController();
  #answers: readonly LiveAnswer[] = [];
  #told = false;

  readonly #soon: (tell: () => void) => void;

  /** `soon` runs a function a little later: pieces that come until then are told together. */
  constructor(conversation: Pick<Conversation, 'subscribe'>, soon: (tell: () => void) => void) {
    this.#soon = soon;
    conversation.subscribe(
      {
        onToken: (delta) => this.#set(withDelta(this.#answers, delta)),
        onAnswerAborted: (id) => this.#remove(id),
        onEvent: ({ id }) => this.#remove(id),
        // the window tells the reason
        onError: () => this.#set([]),
      },
      { signal: this.#ended.signal },
    );
  }

  /** The answers on their way, oldest first; the same object until something changes. */
  get snapshot(): readonly LiveAnswer[] {
    return this.#answers;
  }

  /** Calls the listener after changes; returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the subscription. Idempotent. */
  close(): void {
    this.#ended.abort();
    this.#listeners.clear();
  }

  #remove(id: string): void {
    if (this.#answers.some((answer) => answer.id === id)) this.#set(this.#answers.filter((answer) => answer.id !== id));
  }

  #set(answers: readonly LiveAnswer[]): void {
    this.#answers = answers;
    if (this.#told) return;
    this.#told = true;
    this.#soon(() => {
      this.#told = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
