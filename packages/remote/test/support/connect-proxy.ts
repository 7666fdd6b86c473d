import { Agent, createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy that makes tunnels, and counts them. */
export class ConnectProxy {
  tunnels = 0;
  readonly #open = new Set<Duplex>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer();
    this.#server.on('connect', (asked, client: Duplex) => {
      this.tunnels++;
      const [host, port] = (asked.url ?? '').split(':');
      const target = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      for (const end of [client, target]) {
        this.#open.add(end);
        end.on('error', () => end.destroy());
      }
    });
  }

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** An agent for sockets that go through this proxy. */
  get agent(): Agent {
    const agent = new Agent();
    const { url } = this;
    agent.createConnection = ({ host, port }, created): undefined => {
      const tunnel = request(url, { method: 'CONNECT', path: `${host}:${port}` });
      tunnel.once('connect', (_, socket: Socket) => created?.(null, socket));
      tunnel.once('error', (error) => created?.(error, undefined as never));
      tunnel.end();
    };
    return agent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#open) end.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
