import type { Visualizer } from '@conv/core';

import { type ChildListener, ChildWatch } from '../session/child-news.ts';

/** Passes news of the sub-agents of conversations of this process on to the chat. */
export class ChildFeed {
  #listener: ChildListener | undefined;

  /** The visualizer of a conversation, which is asked about each of its sub-agents. */
  readonly visualizer: Visualizer = {
    forChild: (child) => new ChildWatch(child, (news) => this.#listener?.(news)),
  };

  /** Sets the listener, which replaces an earlier one. Returns a function that removes it. */
  listen(listener: ChildListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }
}
