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

  /** Starts the thread, unless it is started or closed. */
  start(): void {
    if (!this.#closing) this.#worker ??= this.#start();
  }

  /**
   * Calls the thread. Calls are answered in their order. Rejects {@link ThreadLost} when the thread ends before its answer, and
   * `CLOSED` after {@link DatabaseThread.close}.
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
    const worker = (this.#worker ??= this.#start());
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
    const worker = new Worker(program, { workerData: this.#settings(), name: 'conversations' });
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
