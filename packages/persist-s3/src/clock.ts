/** Time, as the store knows it. No promise rests on it: it decides when to try again, to look again and to give signs of life. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Calls back once after so many milliseconds, unless the returned function is called before. What waits in the foreground keeps
   * the process alive; what waits in the background does not.
   */
  schedule(milliseconds: number, callback: () => void, where: 'foreground' | 'background'): () => void;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: Date.now,
  schedule: (milliseconds, callback, where) => {
    const timer = setTimeout(callback, milliseconds);
    if (where === 'background') timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after so many milliseconds. Rejects with `signal.reason` when it aborts before. */
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
