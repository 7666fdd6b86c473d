/** A value that holds for a function and for everything that it starts. */
export interface AsyncContext<T> {
  getStore(): T | undefined;
  run<R>(value: T, work: () => R): R;
}

/** The parts of Node's modules that are used here. */
interface Builtins {
  readonly process?: {
    getBuiltinModule?(name: 'node:async_hooks'): { readonly AsyncLocalStorage: new <T>() => AsyncContext<T> };
  };
}

/**
 * Creates a context that follows promises and timers. Browsers have no such context. There the value holds only until the
 * function returns, that is, until its first `await`.
 */
export function createAsyncContext<T>(): AsyncContext<T> {
  const hooks = (globalThis as Builtins).process?.getBuiltinModule?.('node:async_hooks');
  return hooks ? new hooks.AsyncLocalStorage<T>() : new CallContext<T>();
}

class CallContext<T> implements AsyncContext<T> {
  #value: T | undefined;

  getStore(): T | undefined {
    return this.#value;
  }

  run<R>(value: T, work: () => R): R {
    const before = this.#value;
    this.#value = value;
    try {
      return work();
    } finally {
      this.#value = before;
    }
  }
}
