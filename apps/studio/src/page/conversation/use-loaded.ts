import { useEffect, useState } from 'react';
import { useReturns } from '../app/studio.ts';
import { explain } from '../data/explain.ts';

/** Something that is read: not there yet, there, or failed. `value` stays from the read before until the next one is there. */
export interface Loaded<T> {
  readonly value: T | undefined;
  /** The reason of the failure, in words. */
  readonly failure: string | undefined;
  readonly loading: boolean;
}

/**
 * Reads something, and reads it again when `key` changes. The answer of a read that was overtaken is dropped, and its signal aborts. A
 * read begins when `delay` milliseconds have passed without another key, so that scrubbing reads what a person stops at.
 * When the server is back, it reads again what had failed.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>, delay = 0): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, failure: undefined, loading: true });
  const returns = useReturns();
  const [repeated, setRepeated] = useState(returns);
  if (loaded.failure !== undefined && repeated !== returns) setRepeated(returns);
  useEffect(() => {
    const overtaken = new AbortController();
    setLoaded(({ value }) => ({ value, failure: undefined, loading: true }));
    const timer = setTimeout(() => {
      load(overtaken.signal).then(
        (value) => !overtaken.signal.aborted && setLoaded({ value, failure: undefined, loading: false }),
        (error: unknown) => {
          const failure = explain(error);
          if (!overtaken.signal.aborted) setLoaded(({ value }) => ({ value, failure, loading: false }));
        },
      );
    }, delay);
    return () => {
      overtaken.abort();
      clearTimeout(timer);
    };
    // the key says what is loaded
  }, [key, repeated]);
  return loaded;
}
