import type { TerminalOutput } from '@conv/tools';

/** Passes what commands print while they run on to the chat of their conversation; nothing is kept. */
export class OutputFeed {
  readonly #listeners = new Map<string, (text: string) => void>();

  /** Takes a piece of output. */
  readonly take = ({ conversationId, text }: TerminalOutput): void => this.#listeners.get(conversationId)?.(text);

  /** Listens to a conversation, in place of an earlier listener. Returns the end of it. */
  listen(conversationId: string, listener: (text: string) => void): () => void {
    this.#listeners.set(conversationId, listener);
    return () => {
      if (this.#listeners.get(conversationId) === listener) this.#listeners.delete(conversationId);
    };
  }
}
