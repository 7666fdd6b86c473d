/** Waits for changes without missing one that comes between looking and waiting. */
export interface Changes {
  /** A mark of what has been announced so far. Take it before looking. */
  seen(): number;
  /** Resolves at the first change behind the mark, or when the signal aborts. */
  after(seen: number): Promise<void>;
  stop(): void;
}

/** Changes as `subscribe` announces them. */
export function changesIn(subscribe: (changed: () => void) => () => void, signal: AbortSignal): Changes {
  let count = 0;
  let wake = (): void => {};
  const changed = (): void => {
    count++;
    wake();
  };
  const unsubscribe = subscribe(changed);
  signal.addEventListener('abort', changed, { once: true });
  return {
    seen: () => count,
    after: (seen) =>
      new Promise((resolve) => {
        wake = resolve;
        if (count > seen || signal.aborted) resolve();
      }),
    stop: () => {
      unsubscribe();
      signal.removeEventListener('abort', changed);
    },
  };
}
