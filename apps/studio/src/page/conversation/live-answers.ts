import type { Conversation } from '@conv/core';
import { type LiveAnswer, withDelta } from './answer-delta.ts';
import { LiveValue } from './live-value.ts';

/** The pieces of answers of a conversation until their events are in the log, oldest answer first. */
export class LiveAnswers extends LiveValue<readonly LiveAnswer[]> {
  constructor(conversation: Pick<Conversation, 'subscribe'>, soon: (tell: () => void) => void) {
    super([], soon);
    conversation.subscribe(
      {
        onToken: (delta) => this.set(withDelta(this.snapshot, delta)),
        onAnswerAborted: (id) => this.#remove(id),
        onEvent: ({ id }) => this.#remove(id),
        // the window tells the reason
        onError: () => this.set([]),
      },
      { signal: this.ended },
    );
  }

  #remove(id: string): void {
    if (this.snapshot.some((answer) => answer.id === id)) this.set(this.snapshot.filter((answer) => answer.id !== id));
  }
}
