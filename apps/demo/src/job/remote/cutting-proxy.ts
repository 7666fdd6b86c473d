import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A request whose answer is to be lost. */
interface Loss {
  readonly method: string;
  /** The end of its path. */
  readonly path: string;
}

/** A proxy between a client and a server that cuts their connections on demand. */
export class CuttingProxy {
  readonly #server: Server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  #target: number | undefined;
  #cut = false;
  #refused = 0;
  #loss: Loss | undefined;
  #lost = 0;

  /** Starts to listen, on any free port of this machine. */
  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers that were lost. */
  get lost(): number {
    return this.#lost;
  }

  /** Sets the current address of the server. */
  leadTo(url: string): void {
    this.#target = Number(new URL(url).port);
  }

  /** Cuts every connection, and every new one until {@link CuttingProxy.heal}. Tells how many there were. */
  cut(): number {
    this.#cut = true;
    this.#refused = 0;
    const count = this.#sockets.size;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return count;
  }

  /** Lets connections through again. Tells how many were refused meanwhile. */
  heal(): number {
    this.#cut = false;
    return this.#refused;
  }

  /** The next such request reaches the server, and its answer is cut off. */
  loseAnswer(loss: Loss): void {
    this.#loss = loss;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    if (this.#cut || this.#target === undefined) {
      this.#refused++;
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target, '127.0.0.1').on('error', () => {});
    const end = (): void => {
      this.#sockets.delete(client);
      client.destroy();
      server.destroy();
    };
    this.#sockets.add(client);
    client.on('close', end);
    server.on('close', end);
    let losing = false;
    client.on('data', (chunk: Buffer) => {
      losing ||= this.#isToBeLost(chunk);
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!losing) return void client.write(chunk);
      this.#lost++;
      client.resetAndDestroy();
    });
  }

  /** A client of HTTP writes the first line of a request at the beginning of a chunk. */
  #isToBeLost(chunk: Buffer): boolean {
    if (!this.#loss) return false;
    const [method, path] = chunk.toString('latin1', 0, 1000).split(' ', 2);
    if (method !== this.#loss.method || path?.endsWith(this.#loss.path) !== true) return false;
    this.#loss = undefined;
    return true;
  }
}
