import { useCallback, useSyncExternalStore } from 'react';

/** The point of a log that the address of the page names. */
export interface AddressPoint {
  /** The number of the event of `?e=`; `undefined` at the end of the log. */
  readonly point: number | undefined;
  /** The id of the event of `#`. */
  readonly eventId: string | undefined;
  /** Writes the point into the address, without a step of the browser's history for each move of the scrubber. */
  readonly setPoint: (point: number | undefined) => void;
}

/** Returns the point of the log that the address names, and follows the address. */
export function usePoint(): AddressPoint {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const given = new URLSearchParams(search).get('e');
  const setPoint = useCallback((next: number | undefined): void => {
    const url = new URL(location.href);
    if (next === undefined) url.searchParams.delete('e');
    else url.searchParams.set('e', String(next));
    url.hash = '';
    history.replaceState(history.state, '', url);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, []);
  return {
    point: given !== null && /^\d{1,9}$/.test(given) ? Number(given) : undefined,
    eventId: hash.length > 1 ? decodeURIComponent(hash.slice(1)) : undefined,
    setPoint,
  };
}

/** Routers change the address by these two functions and tell it by events of the same names. */
const EVENTS = ['popstate', 'hashchange', 'pushState', 'replaceState'];

function subscribe(changed: () => void): () => void {
  for (const name of EVENTS) addEventListener(name, changed);
  return () => {
    for (const name of EVENTS) removeEventListener(name, changed);
  };
}
