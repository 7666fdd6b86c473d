import type { ServerConnection } from './server-connection.ts';
import type { ToolLists } from './tool-lists.ts';

/** The name of process warnings about servers. */
export const WARNING = 'McpWarning';

/**
 * Asks a server for its tools again, one request at a time. If a list does not come, the old one stays, with a warning.
 */
export class ToolRefresh {
  readonly #server: ServerConnection;
  readonly #lists: ToolLists;
  readonly #changed: () => void;
  readonly #ending: AbortController = new AbortController();
  #state: 'waiting' | 'idle' | 'asking' = 'waiting';
  #asked = false;
  #answering: Promise<void> = Promise.resolve();

  constructor(server: ServerConnection, lists: ToolLists, changed: () => void) {
    this.#server = server;
    this.#lists = lists;
    this.#changed = changed;
  }

  /** Asks for the tools again, because they may have changed. Resolves when they were asked for, with or without success. */
  ask(): Promise<void> {
    this.#asked = true;
    if (this.#state === 'idle') this.#answering = this.#answer();
    return this.#answering;
  }

  /** Starts refreshing after the first list; a request that came before is answered now. */
  start(): void {
    this.#state = 'idle';
    if (this.#asked) this.#answering = this.#answer();
  }

  end(): void {
    this.#ending.abort(new Error('the connection was closed'));
  }

  async #answer(): Promise<void> {
    this.#state = 'asking';
    while (this.#asked && !this.#ending.signal.aborted) {
      this.#asked = false;
      await this.#refresh();
    }
    this.#state = 'idle';
  }

  async #refresh(): Promise<void> {
    try {
      const list = await this.#server.list(this.#ending.signal);
      const { changed, faults } = this.#lists.take(new Map([[this.#server, list]]));
      for (const fault of faults) process.emitWarning(fault, WARNING);
      if (changed) this.#changed();
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      const failure = this.#server.explain(error);
      const reason = failure.kind === 'timeout' ? 'it did not answer in time' : failure.reason;
      const { name } = this.#server.options;
      process.emitWarning(`the MCP server ${name} keeps its old tools: ${reason}`, WARNING);
    }
  }
}
