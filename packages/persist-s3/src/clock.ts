/**
 * Tells the time to the store. No promise rests on it: it only decides when to try again, to look again and to renew the
 * heartbeat.
 */
export interface Clock {
  /** Returns epoch milliseconds. */
  now(): number;
  /**
   * Calls back once after so many milliseconds, unless the caller cancels with the returned function. Foreground timers keep the
   * process alive; background timers do not.
   */
  schedule(milliseconds: number, callback: () => void, where: 'foreground' | 'background'): () => void;
}

/** Reads the clock of this machine and uses its timers. */
export const systemClock: Clock = {
  now: Date.now,
  schedule: (milliseconds, callback, where) => {
    const timer = setTimeout(callback, milliseconds);
    if (where === 'background') timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after so many milliseconds. Rejects with `signal.reason` when `signal` aborts first. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.schedule(
      milliseconds,
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      'foreground',
    );
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
