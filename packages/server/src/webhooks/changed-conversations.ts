import type { Subscriber } from '@conv/core';

/** Tells listeners of loaded conversations whose durable state changed, and of deleted ones. Holds nothing of them. */
export class ChangedConversations {
  readonly #listeners: ((id: string) => void)[] = [];

  /** Returns the subscriber of a conversation that is being loaded. */
  subscriber(id: string): Subscriber {
    // a server that was killed may have left something to tell
    this.changed(id);
    return { onStateChange: () => this.changed(id) };
  }

  /** Tells the listeners that a conversation changed or was deleted. */
  changed(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  /** Adds a listener. */
  listen(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }
}
