import type { ModelRequest } from './model-request.ts';

interface Waiter {
  readonly index: number;
  readonly resolve: (request: ModelRequest) => void;
  readonly reject: (reason: Error) => void;
}

/** The accepted requests, and the callers that wait for a request. */
export class RequestLog {
  readonly requests: ModelRequest[] = [];
  #waiters: Waiter[] = [];
  #closed = false;

  add(request: ModelRequest): void {
    this.requests.push(request);
    const reached = this.#waiters.filter((waiter) => waiter.index === request.index);
    this.#waiters = this.#waiters.filter((waiter) => waiter.index !== request.index);
    for (const waiter of reached) waiter.resolve(request);
  }

  at(index: number): Promise<ModelRequest> {
    const request = this.requests[index];
    if (request !== undefined) return Promise.resolve(request);
    if (this.#closed) return Promise.reject(neverCame(index));
    return new Promise((resolve, reject) => this.#waiters.push({ index, resolve, reject }));
  }

  /** Rejects every caller that still waits. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) waiter.reject(neverCame(waiter.index));
    this.#waiters = [];
  }
}

function neverCame(index: number): Error {
  return new Error(`the model server was closed before request ${index} arrived`);
}
