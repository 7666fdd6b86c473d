import type { ReactElement } from 'react';

/** Tells how much of a log the server has read for something, such as its marks. */
export function ReadingNote({
  what,
  events,
  total,
}: {
  readonly what: string;
  readonly events: number;
  readonly total: number;
}): ReactElement {
  const percent = Math.floor((events / Math.max(1, total)) * 100);
  return (
    <span className="quiet small numbers tm-reading">
      <progress max={total} value={events} aria-label={`Reading the log for its ${what}`} /> Reading {what}: {percent} %
    </span>
  );
}
