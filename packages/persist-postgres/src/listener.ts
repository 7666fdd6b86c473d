import { Client, type ClientConfig } from 'pg';
import type { Timer } from '@conv/core/platform';
import type { Listening } from './change-feed.ts';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/** The connection of a listener, or the wait for the next one. */
type Link = { readonly client: Client } | { readonly retry: Timer } | 'closed';

/** Receives the messages of a channel on a connection of its own, and makes a new connection when it breaks. */
export class Listener {
  readonly #config: ClientConfig;
  readonly #channel: string;
  readonly #listening: Listening;
  #link: Link = 'closed';
  #pause = FIRST_PAUSE;

  constructor(config: ClientConfig, channel: string, listening: Listening) {
    this.#config = config;
    this.#channel = channel;
    this.#listening = listening;
    void this.#connect();
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#link = 'closed';
    if (link === 'closed') return;
    if ('retry' in link) link.retry.cancel();
    else await link.client.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new Client({ ...this.#config, keepAlive: true });
    this.#link = { client };
    client.on('error', () => this.#broken(client));
    client.on('end', () => this.#broken(client));
    client.on('notification', ({ payload }) => this.#listening.heard(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel}"`);
    } catch {
      this.#broken(client);
      return;
    }
    if (!this.#uses(client)) return;
    this.#pause = FIRST_PAUSE;
    this.#listening.began();
  }

  #broken(client: Client): void {
    if (!this.#uses(client)) return;
    client.end().catch(() => {});
    const { platform, ended } = this.#listening;
    this.#link = { retry: platform.setTimer(this.#pause, () => void this.#connect(), { background: true }) };
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    // last, because it may close the listener
    ended();
  }

  #uses(client: Client): boolean {
    return this.#link !== 'closed' && 'client' in this.#link && this.#link.client === client;
  }
}
