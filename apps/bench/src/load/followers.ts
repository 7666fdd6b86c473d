import { once } from 'node:events';

import { WebSocket } from 'ws';

import { now, stampOf } from './stamped-event.ts';

/** Sockets that are opened at the same time. */
const AT_ONCE = 50;

/** Sockets that count what comes, and how long it was on its way. */
export class Followers implements Disposable {
  /** Milliseconds between the making of an event and its arrival, of all sockets. */
  readonly latencies: number[] = [];
  readonly sockets: WebSocket[] = [];
  #counted = 0;
  #awaited = 0;
  #arrived: () => void = () => {};
  #synced = 0;
  #allSynced: () => void = () => {};

  /** Opens one socket for each address. `measured`: how long frames were on their way is kept. */
  static async open(urls: readonly string[], measured: boolean): Promise<Followers> {
    const followers = new Followers();
    for (let at = 0; at < urls.length; at += AT_ONCE)
      await Promise.all(urls.slice(at, at + AT_ONCE).map((url) => followers.#open(url, measured)));
    return followers;
  }

  /** Resolves when so many frames with events came since the last call, or since the opening. */
  async arrived(frames: number): Promise<void> {
    this.#awaited += frames;
    if (this.#counted < this.#awaited) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }

  /** Resolves when every socket of a session shows what happens from now on. */
  async synced(): Promise<void> {
    if (this.#synced < this.sockets.length) await new Promise<void>((resolve) => (this.#allSynced = resolve));
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.terminate();
  }

  async #open(url: string, measured: boolean): Promise<void> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    this.sockets.push(socket);
    socket.on('message', (data: Buffer) => this.#count(data, measured));
    await once(socket, 'open');
  }

  #count(data: Buffer, measured: boolean): void {
    // `latin1` costs nothing: frames of events begin so, and stamps are digits
    const beginning = data.toString('latin1', 0, 17);
    if (beginning.startsWith('{"type":"sync"') && ++this.#synced === this.sockets.length) this.#allSynced();
    if (beginning !== '{"type":"durable"') return;
    if (measured) {
      const stamp = stampOf(data.toString('latin1'));
      if (stamp !== undefined) this.latencies.push(now() - stamp);
    }
    if (++this.#counted === this.#awaited) this.#arrived();
  }
}

/** The value below which this share of the values lies. Throws for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new RangeError('a percentile of nothing');
  return value;
}
