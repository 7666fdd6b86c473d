import type { RemoteConversation } from '@conv/remote';
import type { Api } from './api.ts';
import type { Connection } from './connection.ts';
import { statusIn } from './explain.ts';
import { readOwner } from './server.ts';
import { Listeners } from './listeners.ts';

/** A conversation of the page: being opened, open, or not to be opened. */
export type OpenState =
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'open';
      readonly conversation: RemoteConversation;
      /** Counts the changes of its state. */
      readonly version: number;
      /** The name of the other process that wrote it when it was opened; `null` for none, or where the server does not tell. */
      readonly owner: string | null;
    }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The server of conversations. */
export interface ServerLink {
  readonly api: Api;
  readonly connection: Connection;
}

/** Milliseconds for which the remote client repeats a request before it reports; the page then waits for the server's return. */
const REQUEST_TIMEOUT = 10_000;

/** Opens a conversation for reading and commands, without an agent of its own. Rejects as `openRemoteConversation`. */
export async function openConversation(
  { api, connection }: ServerLink,
  id: string,
  signal?: AbortSignal,
): Promise<RemoteConversation> {
  const { openRemoteConversation, RemoteWorkspace } = await import('@conv/remote');
  const workspace = new RemoteWorkspace({
    host: api.origin,
    requests: {
      requestTimeout: REQUEST_TIMEOUT,
      onRetry: () => void connection.look(),
      onRecovered: () => void connection.look(),
    },
  });
  return openRemoteConversation({}, { id, workspace, create: 'never', ...(signal ? { signal } : {}) });
}

/** A conversation that a view shows: opened at once, opened again when the server is back or its log was replaced. */
export class OpenConversation {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #server: ServerLink;
  readonly #id: string;
  readonly #tellsOwners: boolean;
  #state: OpenState = { kind: 'opening' };
  #closing = new AbortController();

  /** `tellsOwners`: true if the server says which other process writes a conversation. */
  constructor(server: ServerLink, id: string, tellsOwners: boolean) {
    this.#server = server;
    this.#id = id;
    this.#tellsOwners = tellsOwners;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly state = (): OpenState => this.#state;

  /** Opens it; the result closes it. */
  start(): () => void {
    const { connection } = this.#server;
    const { signal } = (this.#closing = new AbortController());
    let { returns } = connection.state();
    void this.#open(signal);
    const unsubscribe = connection.subscribe(() => {
      const isBack = connection.state().returns !== returns;
      ({ returns } = connection.state());
      if (isBack && this.#state.kind === 'failed' && statusIn(this.#state.error) === 0) void this.#open(signal);
    });
    return () => {
      unsubscribe();
      this.#closing.abort(new Error('the view was closed'));
    };
  }

  /** Opens it again after a failure. */
  again(): void {
    void this.#open(this.#closing.signal);
  }

  async #open(signal: AbortSignal): Promise<void> {
    this.#become({ kind: 'opening' });
    try {
      // before it is followed, which claims it
      const owner = this.#tellsOwners ? await readOwner(this.#server.api, this.#id) : null;
      const conversation = await openConversation(this.#server, this.#id, signal);
      signal.addEventListener('abort', () => void conversation.close().catch(() => {}), { once: true });
      if (signal.aborted) return void conversation.close().catch(() => {});
      this.#follow(conversation, owner, signal);
    } catch (error) {
      if (!signal.aborted) this.#become({ kind: 'failed', error });
    }
  }

  #follow(conversation: RemoteConversation, owner: string | null, signal: AbortSignal): void {
    let version = 0;
    const take = (): void => this.#become({ kind: 'open', conversation, version: version++, owner });
    const failed = (error: unknown): void => {
      if (signal.aborted) return;
      void conversation.close().catch(() => {});
      if (error instanceof Error && 'code' in error && error.code === 'LOG_CHANGED') void this.#open(signal);
      else this.#become({ kind: 'failed', error });
    };
    conversation.subscribe({ onStateChange: take, onError: failed }, { signal });
    take();
  }

  #become(state: OpenState): void {
    this.#state = state;
    this.#listeners.tell();
  }
}
