import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Actions with which a person reads further up. */
const LEAVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Keeps a list at its end while its blocks are measured and grow, until a person moves it. `isWanted`: true while the end of the log is
 * looked at. It sticks again when it is wanted anew, or when a person comes back to the end.
 */
export function useStickToEnd(
  rows: Virtualizer<HTMLDivElement, Element>,
  scroller: RefObject<HTMLDivElement | null>,
  isWanted: boolean,
  isAtEnd: boolean,
): void {
  const sticks = useRef(true);
  useLayoutEffect(() => {
    if (isWanted) sticks.current = true;
  }, [isWanted]);
  useEffect(() => {
    if (isAtEnd) sticks.current = true;
  }, [isAtEnd]);
  useEffect(() => {
    const element = scroller.current;
    const leave = (): void => void (sticks.current = false);
    for (const name of LEAVES) element?.addEventListener(name, leave, { passive: true });
    return () => {
      for (const name of LEAVES) element?.removeEventListener(name, leave);
    };
  }, [scroller]);
  const size = rows.getTotalSize();
  useLayoutEffect(() => {
    if (isWanted && sticks.current) rows.scrollToEnd();
  }, [rows, isWanted, size]);
}
