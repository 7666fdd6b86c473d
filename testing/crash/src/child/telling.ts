import { toCommitSeq } from '@conv/core/store';
import type { LocalConversation } from '@conv/local';

import { digestOf, report } from '../report.ts';

/** A call that will be acknowledged. */
export interface ToldCall {
  /** To be called as soon as the call resolved. */
  acknowledge(events: readonly string[]): void;
  toString(): string;
}

/** Reports acknowledged data to the parent: results of calls, events of subscribers, readable commits. */
export class Telling {
  readonly #conversation: LocalConversation;
  #told: number;
  #calls = 0;

  constructor(conversation: LocalConversation) {
    this.#conversation = conversation;
    this.#told = conversation.state.end.seq;
    conversation.subscribe({ onEvent: ({ id }, index) => report({ kind: 'seen', index, id }) });
  }

  /** To be called in the order in which commits are asked for. */
  call(): ToldCall {
    const call = this.#calls++;
    return { acknowledge: (events) => report({ kind: 'acknowledged', call, events }), toString: () => String(call) };
  }

  /** Tells the commits since the last time. */
  async tellCommits(): Promise<void> {
    for await (const commit of this.#conversation.history.commits({ from: toCommitSeq(this.#told) })) {
      const { seq, id, epoch } = commit;
      report({ kind: 'commit', seq, id, epoch, digest: digestOf(commit) });
      this.#told = seq + 1;
    }
  }
}
