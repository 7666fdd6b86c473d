import { Client, type ClientConfig } from 'pg';
import type { Timer } from '@conv/core/platform';
import type { Listening } from './change-feed.ts';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/** Receives the messages of a channel on a connection of its own, and makes a new connection when it breaks. */
export class Listener {
  readonly #config: ClientConfig;
  readonly #channel: string;
  readonly #listening: Listening;
  #client: Client | undefined;
  #timer: Timer | undefined;
  #pause = FIRST_PAUSE;
  #closed = false;

  constructor(config: ClientConfig, channel: string, listening: Listening) {
    this.#config = config;
    this.#channel = channel;
    this.#listening = listening;
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new Client({ ...this.#config, keepAlive: true });
    this.#client = client;
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
    if (this.#client !== client) return;
    this.#pause = FIRST_PAUSE;
    this.#listening.began();
  }

  #broken(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    this.#listening.ended();
    if (this.#closed) return;
    const { platform } = this.#listening;
    this.#timer = platform.setTimer(this.#pause, () => void this.#connect(), { background: true });
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
