import type { Duplex } from 'node:stream';

import { FirstFrameLimit } from './first-frame-limit.ts';

/** Maximum number of clients without a key that wait at the same time: per address, and in total. */
const MOST_OF_ONE = 128;
const MOST_OF_ALL = 512;

/** A client that has not shown a key yet. */
export interface UnauthenticatedClient {
  readonly address: string;
  readonly end: () => void;
}

/**
 * Holds the few clients that have not shown a key, and limits their bytes. When there are too many, the oldest client of the same
 * address is closed, else the oldest client of the address with the most clients.
 */
export class UnauthenticatedClients {
  readonly #clients = new Set<UnauthenticatedClient>();

  get size(): number {
    return this.#clients.size;
  }

  /** Admits a client; the returned function removes it again. The bytes that it may send on `socket` are limited. */
  add(client: UnauthenticatedClient, socket: Duplex): () => void {
    this.#makeRoom(client.address);
    this.#clients.add(client);
    const limit = new FirstFrameLimit();
    const count = (chunk: Buffer): void => {
      if (!limit.admits(chunk)) socket.destroy();
    };
    // counts bytes before the frame is assembled and read
    socket.prependListener('data', count);
    return () => {
      socket.off('data', count);
      this.#clients.delete(client);
    };
  }

  #makeRoom(address: string): void {
    const byAddress = Map.groupBy(this.#clients, (client) => client.address);
    const own = byAddress.get(address) ?? [];
    if (own.length >= MOST_OF_ONE) return own[0]?.end();
    if (this.#clients.size < MOST_OF_ALL) return;
    const [most] = [...byAddress.values()].toSorted((one, other) => other.length - one.length);
    most?.[0]?.end();
  }
}
