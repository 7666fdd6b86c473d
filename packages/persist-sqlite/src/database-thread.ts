import { Worker } from 'node:worker_threads';
import { StoreError } from '@conv/core/store';
import type { DatabaseCalls } from './calls.ts';
import type { ThreadSettings } from './database/database-server.ts';
import type { ThreadMessage } from './database/serve-database.ts';
import { toStoreError } from './failure.ts';
import { moduleBeside } from './module-beside.ts';

/** Tells that the thread ended by itself, so it is unknown whether a write was executed. */
export class ThreadLost extends StoreError {}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Thread with a connection to the database. The first call starts it, and the next call after a loss starts a new one. */
export class DatabaseThread {
  readonly #settings: () => ThreadSettings;
  readonly #onLost: (keys: readonly number[]) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #calls = 0;
  #closing: Promise<void> | undefined;
  #hasAnswered = false;
  #place: string | undefined;

  /** `onLost` receives the keys of conversations that other owners have taken over. */
  constructor(settings: () => ThreadSettings, onLost: (keys: readonly number[]) => void = () => {}) {
    this.#settings = settings;
    this.#onLost = onLost;
  }

  /** True while there is a thread. */
  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** True if the thread has the database open. */
  get hasAnswered(): boolean {
    return this.#hasAnswered && this.isStarted;
  }

  /** Starts the thread, unless it is started or closed. Returns false if it cannot be started, as the next call says. */
  start(): boolean {
    try {
      if (!this.#closing) this.#worker ??= this.#start();
      return true;
    } catch {
      return false;
    }
  }

  /** Makes threads refuse every file but that of another connection. Returns false if the thread has opened another one. */
  keepTo(place: string): boolean {
    this.#place ??= place;
    return this.#place === place;
  }

  /**
   * Calls the thread. Calls are answered in their order. Rejects {@link ThreadLost} when the thread ends before its answer, `UNAVAILABLE`
   * when it cannot be started, and `CLOSED` after {@link DatabaseThread.close}.
   */
  call<Name extends keyof DatabaseCalls>(
    name: Name,
    ...input: Parameters<DatabaseCalls[Name]>
  ): Promise<ReturnType<DatabaseCalls[Name]>> {
    if (this.#closing)
      return Promise.reject(new StoreError('CLOSED', `database ${this.#settings().file} is closed; open it again`));
    return this.#send(name, ...input);
  }

  /** Ends the thread once all earlier calls are answered. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #send<Name extends keyof DatabaseCalls>(
    name: Name,
    ...input: Parameters<DatabaseCalls[Name]>
  ): Promise<ReturnType<DatabaseCalls[Name]>> {
    let worker: Worker;
    try {
      worker = this.#worker ??= this.#start();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `database ${this.#settings().file}: its thread cannot be started: ${why}; free threads or memory, and try again`;
      return Promise.reject(new StoreError('UNAVAILABLE', message, { cause }));
    }
    const call = this.#calls++;
    return new Promise((resolve, reject) => {
      // A thread keeps the program running only while it has calls to answer.
      if (this.#waiting.size === 0) worker.ref();
      this.#waiting.set(call, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ call, name, input });
    });
  }

  #start(): Worker {
    const program = new URL(moduleBeside(import.meta.url, './database/database-worker'));
    const workerData: ThreadSettings = { ...this.#settings(), place: this.#place };
    const worker = new Worker(program, { workerData, name: 'conversations' });
    let reason: unknown;
    let isStarted = true;
    worker.on('message', (message: ThreadMessage) => {
      if ('unstarted' in message) isStarted = false;
      else this.#receive(worker, message);
    });
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', () => this.#ended(worker, reason, isStarted));
    worker.unref();
    return worker;
  }

  #receive(worker: Worker, message: Exclude<ThreadMessage, { readonly unstarted: true }>): void {
    if ('lost' in message) {
      this.#onLost(message.lost);
      return;
    }
    if ('place' in message) {
      this.#place = message.place;
      return;
    }
    const waiting = this.#waiting.get(message.call);
    this.#waiting.delete(message.call);
    if (this.#waiting.size === 0) worker.unref();
    if ('failure' in message) waiting?.reject(toStoreError(message.failure));
    else {
      this.#hasAnswered = true;
      waiting?.resolve(message.value);
    }
  }

  #ended(worker: Worker, reason: unknown, isStarted: boolean): void {
    if (this.#worker === worker) {
      this.#worker = undefined;
      this.#hasAnswered = false;
    }
    const why = reason instanceof Error ? `: ${reason.message}` : '';
    // A thread that has taken no call has executed none, so the outcome of all calls is known.
    const Ended = isStarted ? ThreadLost : StoreError;
    const lost = new Ended('UNAVAILABLE', `database ${this.#settings().file}: its thread has ended${why}`, {
      cause: reason,
    });
    for (const { reject } of this.#waiting.values()) reject(lost);
    this.#waiting.clear();
  }

  async #close(): Promise<void> {
    if (!this.#worker) return;
    try {
      await this.#send('close');
    } catch {
      // Ignore the reason: no call is pending any more, and acknowledged commits are durable.
    }
    await this.#worker?.terminate();
  }
}
