import { Client, type ClientConfig } from 'pg';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/** What a {@link Listener} tells. */
export interface Listening {
  /** A message came. */
  readonly heard: (text: string) => void;
  /** It listens now; what was sent before is not heard. */
  readonly began: () => void;
  /** It does not listen any more, and tries to again. */
  readonly ended: () => void;
}

/** A connection of its own that hears the messages of a channel, made again when it breaks. */
export class Listener {
  readonly #config: ClientConfig;
  readonly #channel: string;
  readonly #listening: Listening;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
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
    clearTimeout(this.#timer);
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
    this.#timer = setTimeout(() => void this.#connect(), this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
