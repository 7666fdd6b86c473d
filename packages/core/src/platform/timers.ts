import type { Platform, Timer } from './platform.ts';

/** Resolves after the given milliseconds, or rejects with `signal.reason` as soon as the signal aborts. */
export function sleep(
  platform: Platform,
  milliseconds: number,
  options: { readonly background?: boolean | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { signal, ...timer } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const set = platform.setTimer(milliseconds, ended, timer);
    signal?.addEventListener('abort', aborted, { once: true });
    function ended(): void {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }
    function aborted(): void {
      set.cancel();
      reject(signal?.reason);
    }
  });
}

/** Blocks the thread for the given milliseconds. For code of a thread that calls nothing asynchronous. */
export function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Returns a signal that aborts with a `TimeoutError` after the given milliseconds, or with the reason of `signal` when that
 * aborts. It does not keep the process running unless `background` is false. `cancel` and disposal release its timer.
 */
export function deadline(
  platform: Platform,
  milliseconds: number,
  { signal, background = true }: Parameters<typeof sleep>[2] = {},
): AbortSignal & Timer {
  const controller = new AbortController();
  const expire = (): void => abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const follow = (): void => abort(signal?.reason);
  const timer = platform.setTimer(milliseconds, expire, { background });
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  function abort(reason: unknown): void {
    cancel();
    controller.abort(reason);
  }
  function cancel(): void {
    timer.cancel();
    signal?.removeEventListener('abort', follow);
  }
  return Object.assign(controller.signal, { cancel, [Symbol.dispose]: cancel });
}

/** Calls `work` at an interval of the given milliseconds until the timer is cancelled. */
export function every(
  platform: Platform,
  milliseconds: number,
  work: () => void,
  options?: { readonly background?: boolean | undefined },
): Timer {
  let timer = platform.setTimer(milliseconds, tick, options);
  function tick(): void {
    // before the work, which may throw or cancel
    timer = platform.setTimer(milliseconds, tick, options);
    work();
  }
  const cancel = (): void => timer.cancel();
  return { cancel, [Symbol.dispose]: cancel };
}

/** Resolves with true as soon as `work` settles, or with false after the given milliseconds. Rejects as `work` does. */
export async function settlesWithin(
  platform: Platform,
  milliseconds: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = platform.setTimer(milliseconds, () => late.resolve(false));
  try {
    return await Promise.race([late.promise, work.then(() => true)]);
  } finally {
    timer.cancel();
  }
}
