import { registerHooks } from 'node:module';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/**
 * Has a store of SQLite run its threads in this one: starting two of them costs more than a whole case. What they do, and every
 * message between them, is the same. To be called before the store is loaded.
 */
export function keepThreadsHere(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:worker_threads' && context.parentURL?.endsWith('/database-thread.js') === true
        ? { url: import.meta.url, shortCircuit: true }
        : next(specifier, context),
  });
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
    void import(new URL('./serve-database.js', program).href).then(async (serving: Serving) => {
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
