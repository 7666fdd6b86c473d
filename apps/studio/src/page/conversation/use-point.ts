import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** The point of a log that a person looks at, which the address of the page names. */
export interface AddressPoint {
  /** The number of the event of `?e=`; `undefined` at the end of the log. */
  readonly point: number | undefined;
  /** The id of the event of `#`. */
  readonly eventId: string | undefined;
  /** Moves to a point, and writes it into the address without a step of the browser's history for each move of the scrubber. */
  readonly setPoint: (point: number | undefined) => void;
}

/** Milliseconds between two writes of the address. Browsers refuse more than about 200 in 30 seconds. */
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
  const writer = useRef<{ next: Pending | undefined; timer: ReturnType<typeof setTimeout> | undefined }>({
    next: undefined,
    timer: undefined,
  });
  // an address that is changed by something else says where to go, and what was pending is void
  useEffect(() => {
    const drop = (): void => {
      clearTimeout(writer.current.timer);
      writer.current = { next: undefined, timer: undefined };
      setPending(undefined);
    };
    const unsubscribe = subscribe(drop);
    return () => {
      unsubscribe();
      clearTimeout(writer.current.timer);
    };
  }, []);
  const setPoint = useCallback((point: number | undefined): void => {
    setPending({ point });
    writer.current.next = { point };
    if (writer.current.timer !== undefined) return;
    const write = (): void => {
      const { next } = writer.current;
      if (!next) {
        writer.current.timer = undefined;
        return;
      }
      writePoint(next.point);
      // the write was heard as any change of the address; the pause holds for the moves that follow
      writer.current = { next: undefined, timer: setTimeout(write, PAUSE) };
    };
    write();
  }, []);
  const given = new URLSearchParams(search).get('e');
  return {
    point: pending ? pending.point : given !== null && /^\d{1,9}$/.test(given) ? Number(given) : undefined,
    eventId: hash.length > 1 ? decodeURIComponent(hash.slice(1)) : undefined,
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
