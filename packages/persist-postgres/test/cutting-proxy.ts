import { once } from 'node:events';
import { createServer, connect, type Server, type Socket } from 'node:net';

/**
 * Moment of the cut of a connection with a statement. `before`: before the server gets it. `after`: when the server has answered,
 * before the answer is passed on. `late`: the client is cut off first, and the server gets the statement when `deliver` is
 * called.
 */
export type Cut = 'before' | 'after' | 'late';

/** Cut that is planned. */
export interface PlannedCut {
  readonly done: Promise<void>;
  /** Delivers the late statement; resolves when the server has answered it. */
  deliver(): Promise<void>;
}

interface Plan {
  readonly cut: Cut;
  readonly text: string;
  readonly done: () => void;
  held?: { readonly server: Socket; readonly bytes: Buffer };
}

/** Stands between a client and a server, and cuts connections at planned statements. */
export class CuttingProxy {
  readonly #target: number;
  readonly #server: Server;
  readonly #plans: Plan[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#serve(client));
  }

  static async start(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Cuts the next connection that carries this text. */
  cut(cut: Cut, text: string): PlannedCut {
    const { promise, resolve } = Promise.withResolvers<void>();
    const plan: Plan = { cut, text, done: resolve };
    this.#plans.push(plan);
    return {
      done: promise,
      deliver: async () => {
        const { server, bytes } = plan.held as NonNullable<Plan['held']>;
        server.write(bytes);
        await once(server, 'data');
      },
    };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
    }
    let answered: Plan | undefined;
    let held = false;
    client.on('data', (bytes) => {
      const plan = this.#take(bytes);
      if (plan?.cut === 'before') {
        server.destroy();
        client.destroy();
        plan.done();
      } else if (plan?.cut === 'late') {
        held = true;
        plan.held = { server, bytes };
        client.destroy();
        plan.done();
      } else {
        answered = plan;
        server.write(bytes);
      }
    });
    server.on('data', (bytes) => {
      if (!answered) client.write(bytes);
      else {
        client.destroy();
        server.destroy();
        answered.done();
      }
    });
    client.on('close', () => {
      if (!held) server.destroy();
    });
    server.on('close', () => client.destroy());
  }

  #take(bytes: Buffer): Plan | undefined {
    const at = this.#plans.findIndex(({ text }) => bytes.includes(text));
    return at < 0 ? undefined : this.#plans.splice(at, 1)[0];
  }
}
