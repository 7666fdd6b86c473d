import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Random } from '@conv/testing-harness';

import { ByteLink } from './byte-link.ts';
import { MessageProxy } from './message-proxy.ts';
import type { Traffic } from './traffic.ts';
import { CALM, type Weather } from './weather.ts';

/** Proxy between one client and the server: the outer layer corrupts bytes, the inner layer requests and frames. */
export class FaultyProxy {
  readonly traffic: Traffic = { requests: 0, sockets: 0, bytes: 0 };
  weather: Weather = CALM;
  readonly #links = new Set<ByteLink>();
  readonly #waiting: Socket[] = [];
  readonly #random: Random;
  readonly #messages: MessageProxy;
  readonly #server: Server;
  #held = false;
  #inside = 0;

  private constructor(random: Random, port: () => number, swapping: boolean) {
    this.#random = random;
    const weather = (): Weather => this.weather;
    this.#messages = new MessageProxy({ port, random, weather, traffic: this.traffic, swapping });
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** Starts a proxy in front of the server that currently listens on `port`. */
  static async start(random: Random, port: () => number, swapping: boolean): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(random, port, swapping);
    proxy.#inside = await proxy.#messages.listen();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Tears every connection. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Accepts new connections without forwarding them, until {@link FaultyProxy.release}. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    for (const socket of this.#waiting.splice(0)) this.#accept(socket);
  }

  async close(): Promise<void> {
    this.release();
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#messages.close();
  }

  #accept(socket: Socket): void {
    if (this.#held) return void this.#waiting.push(socket);
    const link = new ByteLink(socket, this.#inside, {
      random: this.#random,
      weather: () => this.weather,
      traffic: this.traffic,
    });
    this.#links.add(link);
    socket.once('close', () => this.#links.delete(link));
  }
}
