import { type ReactElement, useMemo } from 'react';
import type { TimelineBlock } from '../timeline/timeline-block.ts';
import { type Mark, marksOf } from './marks.ts';

const WORDS: Record<Mark['kind'], string> = {
  message: 'message of the user',
  error: 'error',
  rejection: 'rejection',
  condensation: 'condensation',
};

/** Moves through a log: a slider over its events, with marks. */
export function Scrubber({
  blocks,
  count,
  point,
  onPoint,
}: {
  readonly blocks: readonly TimelineBlock[];
  /** The number of events. */
  readonly count: number;
  /** The number of events up to the current point. */
  readonly point: number;
  readonly onPoint: (point: number) => void;
}): ReactElement {
  const marks = useMemo(() => marksOf(blocks, count), [blocks, count]);
  const errors = useMemo(() => marks.filter(({ kind }) => kind === 'error'), [marks]);
  const nextError = errors.find(({ index }) => index >= point);
  return (
    <div className="conv-scrubber">
      <div className="conv-track">
        <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
          {marks.map(({ index, kind }) => (
            <rect
              key={index}
              className={`conv-mark-${kind}`}
              x={(index / Math.max(1, count)) * 998}
              y={0}
              width={2}
              height={10}
            >
              <title>{`${WORDS[kind]} at ${index}`}</title>
            </rect>
          ))}
        </svg>
        <input
          type="range"
          min={0}
          max={count}
          value={point}
          aria-label="Point in the log"
          aria-valuetext={`after ${point} of ${count} events`}
          onChange={({ target }) => onPoint(target.valueAsNumber)}
        />
      </div>
      <button type="button" disabled={point <= 0} onClick={() => onPoint(point - 1)}>
        Back
      </button>
      <button type="button" disabled={point >= count} onClick={() => onPoint(point + 1)}>
        Forward
      </button>
      <button type="button" disabled={!nextError} onClick={() => nextError && onPoint(nextError.index + 1)}>
        Next error
      </button>
    </div>
  );
}
