import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const [SSL_REQUEST, GSS_REQUEST] = [80_877_103, 80_877_104];
const READY = 'Z'.codePointAt(0);
const NOTIFICATION = 'A'.codePointAt(0);
const IDLE = 'I'.codePointAt(0);

/** Splits a protocol stream into messages, and keeps an incomplete one. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #more: Buffer[] = [];
  #missing = 5;

  /** Yields the type and all bytes of each complete message. */
  *add(bytes: Buffer): Generator<{ readonly type: number | undefined; readonly bytes: Buffer }> {
    this.#more.push(bytes);
    this.#missing -= bytes.length;
    // joins a long message once, when all of it has arrived
    if (this.#missing > 0) return;
    this.#rest = Buffer.concat([this.#rest, ...this.#more]);
    this.#more = [];
    yield* this.#complete();
    this.#missing = (this.#rest.length < 5 ? 5 : 1 + this.#rest.readInt32BE(1)) - this.#rest.length;
  }

  *#complete(): Generator<{ readonly type: number | undefined; readonly bytes: Buffer }> {
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < length) return;
      yield { type: this.#rest[0], bytes: this.#rest.subarray(0, length) };
      this.#rest = this.#rest.subarray(length);
    }
  }
}

/** Connection to the server, lent to one client after the other. */
interface Backend {
  readonly socket: Socket;
  client: Socket | undefined;
}

/**
 * Pooler in transaction mode, like PgBouncer: a client gets a connection of the server for one transaction, and maybe another one
 * for the next. The state of sessions is lost, and no client gets the messages for listeners.
 */
export class TransactionPooler {
  readonly #target: number;
  readonly #startup: Buffer;
  readonly #server: Server;
  readonly #backends: Backend[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #clients = new Set<Socket>();
  /** Messages in which the server describes itself when a connection is made. */
  #greeting: Buffer = Buffer.alloc(0);
  /** Number of prepared statements with a name, which the next transaction would not find. */
  named = 0;
  /** Number of times that a connection of the server went from one client to another. */
  handovers = 0;

  private constructor(target: number, user: string) {
    this.#target = target;
    this.#startup = startupPacket({ user, database: 'postgres', client_encoding: 'UTF8' });
    this.#server = createServer((client) => this.#serve(client));
  }

  /** Starts a pooler. `user` may connect without a password. */
  static async start(target: number, user: string, size: number): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(target, user);
    for (let at = 0; at < size; at++) await pooler.#connect();
    pooler.#server.listen(0, '127.0.0.1');
    await once(pooler.#server, 'listening');
    return pooler;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    for (const { socket } of this.#backends) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #connect(): Promise<void> {
    const socket = connect(this.#target, '127.0.0.1').setNoDelay();
    const backend: Backend = { socket, client: undefined };
    const messages = new Messages();
    const greeting: Buffer[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.on('error', reject);
    socket.on('data', (bytes) => {
      for (const message of messages.add(bytes)) {
        if (!this.#backends.includes(backend)) greeting.push(Buffer.from(message.bytes));
        else if (message.type !== NOTIFICATION) backend.client?.write(message.bytes);
        if (message.type !== READY || message.bytes[5] !== IDLE) continue;
        resolve();
        this.#free(backend);
      }
    });
    socket.write(this.#startup);
    await promise;
    this.#greeting = Buffer.concat(greeting);
    this.#backends.push(backend);
  }

  #free(backend: Backend): void {
    backend.client = undefined;
    this.#waiting.shift()?.();
  }

  #serve(client: Socket): void {
    this.#clients.add(client.setNoDelay());
    client.on('error', () => {});
    client.on('close', () => this.#clients.delete(client));
    const messages = new Messages();
    let started = false;
    let queue: Promise<void> = Promise.resolve();
    client.on('data', (bytes) => {
      if (!started) {
        const code = bytes.readInt32BE(4);
        if (code === SSL_REQUEST || code === GSS_REQUEST) {
          client.write('N');
          return;
        }
        started = true;
        client.write(this.#greeting);
        return;
      }
      for (const message of messages.add(Buffer.from(bytes))) {
        queue = queue.then(() => this.#forward(client, message.type, Buffer.from(message.bytes)));
      }
    });
  }

  async #forward(client: Socket, type: number | undefined, bytes: Buffer): Promise<void> {
    if (type === 'X'.codePointAt(0)) {
      client.end();
      return;
    }
    if (type === 'P'.codePointAt(0) && bytes[5] !== 0) this.named++;
    const backend = this.#backends.find((one) => one.client === client) ?? (await this.#borrow(client));
    backend.socket.write(bytes);
  }

  async #borrow(client: Socket): Promise<Backend> {
    for (;;) {
      // takes the connection that was free for the longest time, so that clients meet different ones
      const at = this.#backends.findIndex((one) => one.client === undefined);
      const [backend] = at < 0 ? [] : this.#backends.splice(at, 1);
      if (backend) {
        this.#backends.push(backend);
        backend.client = client;
        this.handovers++;
        return backend;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

function startupPacket(parameters: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}\0${value}\0`)
    .join('');
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}
