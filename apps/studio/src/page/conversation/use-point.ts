import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { eventIn } from './event-in.ts';

/** The point of a log that a person looks at, which the address of the page names. */
export interface AddressPoint {
  /** The number of the event of `?e=`; `undefined` at the end of the log. */
  readonly point: number | undefined;
  /** The id of the event of `#`. */
  readonly eventId: string | undefined;
  /** Moves to a point, and writes it into the address without a step of the browser's history for each move of the scrubber. */
  readonly setPoint: (point: number | undefined) => void;
}

/**
 * Milliseconds for which a point rests before it is written into the address, but the first of a row of moves. Browsers refuse more
 * than about 200 writes in 30 seconds, and one costs as much as a step of the scrubber.
 */
const PAUSE = 250;

/** A point that is not written into the address yet. */
interface Pending {
  readonly point: number | undefined;
}

/** Returns the point of the log that the address names, and follows the address. */
export function usePoint(): AddressPoint {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [pending, setPending] = useState<Pending>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // an address that is changed by something else says where to go, and what was pending is void
  useEffect(() => {
    const drop = (): void => {
      clearTimeout(timer.current);
      timer.current = undefined;
      setPending(undefined);
    };
    const unsubscribe = subscribe(drop);
    return () => {
      unsubscribe();
      clearTimeout(timer.current);
    };
  }, []);
  const setPoint = useCallback((point: number | undefined): void => {
    setPending({ point });
    const isFirst = timer.current === undefined;
    clearTimeout(timer.current);
    // the write was heard as any change of the address; the pause holds for the moves that follow
    if (isFirst) writePoint(point);
    const next = isFirst ? undefined : { point };
    const rest = (): void => {
      if (next) writePoint(next.point);
      timer.current = undefined;
    };
    timer.current = setTimeout(rest, PAUSE);
  }, []);
  const given = new URLSearchParams(search).get('e');
  return {
    point: pending ? pending.point : given !== null && /^\d{1,9}$/.test(given) ? Number(given) : undefined,
    eventId: eventIn(hash),
    setPoint,
  };
}

function writePoint(point: number | undefined): void {
  const url = new URL(location.href);
  if (point === undefined) url.searchParams.delete('e');
  else url.searchParams.set('e', String(point));
  url.hash = '';
  history.replaceState(history.state, '', url);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

/** Routers change the address by these two functions and tell it by events of the same names. */
const EVENTS = ['popstate', 'hashchange', 'pushState', 'replaceState'];

function subscribe(changed: () => void): () => void {
  for (const name of EVENTS) addEventListener(name, changed);
  return () => {
    for (const name of EVENTS) removeEventListener(name, changed);
  };
}
