import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Carries connections to a server and counts the bytes that come back; they can be cut, and held up. */
export class CountingProxy implements Disposable {
  /** To the client, headers included. */
  bytes = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #waiting: Socket[] = [];
  readonly #port: number;
  #held = false;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((client) => {
      if (this.#held) this.#waiting.push(client);
      else this.#carry(client);
    });
  }

  static async start(port: number): Promise<CountingProxy> {
    const proxy = new CountingProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection; new ones wait until {@link CountingProxy.release}. */
  cut(): void {
    this.#held = true;
    for (const socket of this.#open) socket.destroy();
  }

  release(): void {
    this.#held = false;
    for (const client of this.#waiting.splice(0)) this.#carry(client);
  }

  [Symbol.dispose](): void {
    this.cut();
    for (const client of this.#waiting) client.destroy();
    this.#server.close();
  }

  #carry(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1');
    server.on('data', (piece: Buffer) => void (this.bytes += piece.length));
    for (const end of [client, server]) {
      this.#open.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => this.#open.delete(end));
    }
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    client.pipe(server).pipe(client);
  }
}
