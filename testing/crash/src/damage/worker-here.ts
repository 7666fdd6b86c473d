import { registerHooks } from 'node:module';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** The store's own modules, which are bundled. Its threads begin with a file in a folder below. */
const STORE = /\/persist-sqlite\/dist\/[^/]+\.js$/;

/**
 * Has a store of SQLite run its threads in this one: starting two of them costs more than a whole case. Their work, and every
 * message between them, is the same. `load` imports the store for the first time. Resolves with what it resolves with; rejects if
 * the store then has threads all the same.
 */
export async function withThreadsHere<T>(load: () => Promise<T>): Promise<T> {
  let replaced = false;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier !== 'node:worker_threads' || !STORE.test(context.parentURL ?? '')) return next(specifier, context);
      replaced = true;
      return { url: import.meta.url, shortCircuit: true };
    },
  });
  try {
    const loaded = await load();
    if (!replaced) throw new Error(`expected a module ${STORE} that imports node:worker_threads, found none`);
    return loaded;
  } finally {
    hooks.deregister();
  }
}

interface Serving {
  serveDatabase(port: MessagePort, settings: unknown): Promise<void>;
}

/**
 * The parts of a worker thread that the store uses, in the thread of its caller. The store imports this instead of Node's own.
 *
 * @public
 */
export class Worker {
  readonly #channel = new MessageChannel();
  #onExit: () => void = () => {};

  /** `program`: the module that a thread would begin with. */
  constructor(program: URL, { workerData }: { readonly workerData: unknown }) {
    const { port1, port2 } = this.#channel;
    port1.unref();
    void import(program.href).then(async (serving: Serving) => {
      await serving.serveDatabase(port2, structuredClone(workerData));
      // Messages that came before it listened are still there. The one end keeps the process running, as a thread would.
      port2.unref();
    });
  }

  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): void {
    if (event === 'message') this.#channel.port1.on('message', listener);
    if (event === 'exit') this.#onExit = () => listener(0);
  }

  postMessage(message: unknown): void {
    this.#channel.port1.postMessage(message);
  }

  ref(): void {
    this.#channel.port1.ref();
  }

  unref(): void {
    this.#channel.port1.unref();
  }

  async terminate(): Promise<number> {
    this.#channel.port1.close();
    this.#onExit();
    return 0;
  }
}
