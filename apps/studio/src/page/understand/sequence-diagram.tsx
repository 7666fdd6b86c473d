import { plainLine } from '@conv/visualize/text';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { type ReactElement, useMemo } from 'react';
import { type SequenceStep, sequenceSteps } from './sequence-steps.ts';

/** Arrows that are drawn: the newest ones. */
const MOST = 80;
const [LANE, ROW, TOP] = [180, 30, 40];

/** Shows blocks as a sequence diagram, and the same steps as a list. */
export function SequenceDiagram({
  blocks,
  onEvent,
}: {
  readonly blocks: readonly TimelineBlock[];
  readonly onEvent: (event: number) => void;
}): ReactElement {
  const { lanes, steps } = useMemo(() => sequenceSteps(blocks), [blocks]);
  const drawn = steps.slice(-MOST);
  const place = (lane: string): number => lanes.indexOf(lane) * LANE + LANE / 2;
  const [width, height] = [lanes.length * LANE, TOP + drawn.length * ROW + 10];
  return (
    <>
      <div className="un-sequence" tabIndex={0} role="group" aria-label="Sequence diagram">
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {lanes.map((lane) => (
            <g key={lane}>
              <line className="un-life" x1={place(lane)} x2={place(lane)} y1={TOP - 8} y2={height} />
              <text className="un-lane" x={place(lane)} y={20} textAnchor="middle">
                {shorten(plainLine(lane), 22)}
              </text>
            </g>
          ))}
          {drawn.map((step, row) => (
            <Arrow key={row} step={step} y={TOP + row * ROW + 18} from={place(step.from)} to={place(step.to)} />
          ))}
        </svg>
      </div>
      <details>
        <summary>As a list</summary>
        <ol className="un-steps">
          {drawn.map(({ from, to, text, event }, row) => (
            <li key={row}>
              {plainLine(from)} → {plainLine(to)}: {plainLine(text)}{' '}
              <button
                type="button"
                className="button"
                data-look="plain"
                data-size="small"
                onClick={() => onEvent(event)}
              >
                event {event}
              </button>
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

function Arrow({
  step,
  y,
  from,
  to,
}: {
  readonly step: SequenceStep;
  readonly y: number;
  readonly from: number;
  readonly to: number;
}): ReactElement {
  const self = from === to;
  const end = self ? from + 26 : to;
  const tip = to > from || self ? -6 : 6;
  const wide = Math.abs(end - from);
  const room = Math.max(20, Math.floor(Math.max(wide, LANE) / 6.6));
  return (
    <g className="un-arrow" data-tone={step.tone}>
      <line x1={from} x2={end} y1={y} y2={y} />
      {!self && <path d={`M${end} ${y}l${tip} -4v8z`} />}
      <text x={self ? end + 4 : (from + end) / 2} y={y - 5} textAnchor={self ? 'start' : 'middle'}>
        {shorten(plainLine(step.text), room)}
      </text>
      <title>{`event ${step.event}`}</title>
    </g>
  );
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
