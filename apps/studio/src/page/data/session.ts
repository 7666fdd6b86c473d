import type { Api } from './api.ts';
import { Listeners } from './listeners.ts';
import { serverRequests } from './requests.ts';
import { statusIn } from './explain.ts';

/** State of the session. `locked` tells why a key is needed. */
export type SessionState =
  | { readonly kind: 'checking' }
  | { readonly kind: 'open' }
  | { readonly kind: 'locked'; readonly why: 'new' | 'ended' | 'forgotten' | 'used-link' };

/** The session of this browser: a cookie that no script sees, given for a key or for the ticket of a start link. */
export class Session {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #api: Api;
  #state: SessionState = { kind: 'checking' };

  constructor(api: Api) {
    this.#api = api;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly state = (): SessionState => this.#state;

  /** Exchanges the ticket of a start link, or asks if a session is there. Rejects if the server does not answer. */
  async begin(ticket: string | undefined): Promise<void> {
    if (ticket === undefined) return this.check('new');
    try {
      await this.#api.call(serverRequests.openSession, { body: { ticket } });
      this.#become({ kind: 'open' });
    } catch (error) {
      if (statusIn(error) === 0) throw error;
      // the link was used before, maybe by this browser
      await this.check('used-link');
    }
  }

  /** Asks if the session holds. A server without sessions needs no key. */
  async check(why: 'new' | 'ended' | 'used-link'): Promise<void> {
    try {
      await this.#api.call(serverRequests.getSession);
      this.#become({ kind: 'open' });
    } catch (error) {
      const status = statusIn(error);
      if (status === 401 || status === 403) this.#become({ kind: 'locked', why });
      else if (status === 404) this.#become({ kind: 'open' });
      else throw error;
    }
  }

  /** Exchanges a key. Rejects if the server refuses it. */
  async open(key: string): Promise<void> {
    await this.#api.call(serverRequests.openSession, { headers: { 'X-Session-API-Key': key } });
    this.#become({ kind: 'open' });
  }

  /** Forgets the session, here and at the server. */
  async forget(): Promise<void> {
    await this.#api.call(serverRequests.endSession);
    this.#become({ kind: 'locked', why: 'forgotten' });
  }

  #become(state: SessionState): void {
    if (state.kind === this.#state.kind) return;
    this.#state = state;
    this.#listeners.tell();
  }
}

/** Returns the ticket in the fragment of a start link, and removes the fragment from the address and the history. */
export function takeTicket(): string | undefined {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
  if (ticket === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return ticket === '' ? undefined : ticket;
}
