import { connect, type Socket } from 'node:net';
import type { Random } from '@conv/testing-harness';

import type { Traffic } from './traffic.ts';
import type { Weather } from './weather.ts';

/** Maximum number of bytes that a connection carries before its fault occurs. */
const FAR = 24_000;

/** Maximum milliseconds for which bytes are held back. */
const LATE = 60;

type Fate = 'cut' | 'truncate' | 'halfOpen';

/** A connection of a client to the next part of the proxy, with faults at the level of bytes. */
export class ByteLink {
  readonly #client: Socket;
  readonly #next: Socket;
  readonly #random: Random;
  readonly #weather: () => Weather;
  readonly #traffic: Traffic;
  readonly #fate: Fate | undefined;
  readonly #at: number;
  #passed = 0;
  #frozen = false;

  constructor(
    client: Socket,
    port: number,
    { random, weather, traffic }: { random: Random; weather: () => Weather; traffic: Traffic },
  ) {
    this.#client = client;
    this.#next = connect(port, '127.0.0.1');
    this.#random = random;
    this.#weather = weather;
    this.#traffic = traffic;
    const { cut, truncate, halfOpen } = weather();
    this.#fate = random.among({ cut, truncate, halfOpen });
    this.#at = random.between(0, FAR);
    this.#carry(client, this.#next, false);
    this.#carry(this.#next, client, true);
  }

  /** Tears the connection. */
  cut(): void {
    this.#client.destroy();
    this.#next.destroy();
  }

  #carry(from: Socket, to: Socket, counted: boolean): void {
    let line: Promise<void> = Promise.resolve();
    const then = (work: () => void | Promise<void>): void => void (line = line.then(work));
    from.on('data', (bytes: Buffer) => then(() => this.#pass(bytes, to, counted)));
    const unlessFrozen = (work: () => unknown): void => then(() => void (this.#frozen || work()));
    from.on('end', () => unlessFrozen(() => to.end()));
    from.on('error', () => unlessFrozen(() => this.cut()));
    from.on('close', () => unlessFrozen(() => to.destroy()));
  }

  async #pass(bytes: Buffer, to: Socket, counted: boolean): Promise<void> {
    if (this.#frozen || to.destroyed) return;
    const weather = this.#weather();
    if (this.#random.chance(weather.delay))
      await new Promise((resolve) => setTimeout(resolve, this.#random.between(1, LATE)));
    const room = this.#at - this.#passed;
    this.#passed += bytes.length;
    const met = this.#fate !== undefined && weather[this.#fate] > 0 && bytes.length > room;
    const passing = met ? bytes.subarray(0, Math.max(0, room)) : bytes;
    if (counted) this.#traffic.bytes += passing.length;
    if (passing.length > 0) to.write(passing);
    if (met) this.#meet(this.#fate as Fate, to);
  }

  #meet(fate: Fate, to: Socket): void {
    if (fate === 'cut') this.cut();
    else this.#frozen = true;
    if (fate === 'truncate') {
      to.end();
      this.#next.destroy();
    }
  }
}
