import { type ReactElement, useSyncExternalStore } from 'react';

const MINUTE = 60_000;
const UNITS = [
  ['y', 365 * 24 * 60],
  ['mo', 30 * 24 * 60],
  ['d', 24 * 60],
  ['h', 60],
  ['min', 1],
] as const;

/** Returns the age of a moment in its largest unit, such as `5 min`; `now` below a minute. */
function age(time: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - time) / MINUTE);
  for (const [name, size] of UNITS) if (minutes >= size) return `${Math.floor(minutes / size)} ${name}`;
  return 'now';
}

/** Milliseconds of the running minute, so that all ages change together. */
function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, MINUTE / 2);
  return () => clearInterval(timer);
}

const minuteNow = (): number => Math.floor(Date.now() / (MINUTE / 2));

/** Shows the age of a moment; the full date is its tooltip. */
export function Time({ at }: { readonly at: string }): ReactElement {
  useSyncExternalStore(subscribe, minuteNow);
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span className="quiet">–</span>;
  return (
    <time dateTime={at} title={new Date(time).toLocaleString()} className="numbers">
      {age(time, Date.now())}
    </time>
  );
}
