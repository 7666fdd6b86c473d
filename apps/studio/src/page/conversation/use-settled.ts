import { useEffect, useState } from 'react';

/**
 * Returns a value once it stood still for `delay` milliseconds, and the value before until then, so that what is slow to draw follows
 * when a person rests. A value that appears or goes is returned at once.
 */
export function useSettled<T>(value: T | undefined, delay: number): T | undefined {
  const [settled, setSettled] = useState(value);
  const isAtOnce = value === undefined || settled === undefined;
  if (isAtOnce && settled !== value) setSettled(value);
  useEffect(() => {
    if (settled === value) return undefined;
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, settled, delay]);
  return isAtOnce ? value : settled;
}
