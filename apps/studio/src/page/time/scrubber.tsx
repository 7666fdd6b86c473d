import type { pastViews } from '@conv/core';
import { type KeyboardEvent, memo, type PointerEvent, type ReactElement, useEffect, useMemo, useState } from 'react';
import { amounts } from '../design/amounts.ts';
import { drawnMarks, jumpsOf, MARK_WORDS, marksByKind, nextMark } from './marks.ts';

/** Properties of {@link Scrubber}. */
export interface ScrubberProps {
  readonly outline: pastViews.Outline;
  /** True if the outline covers a part of the log, because the server still reads it. */
  readonly isPart?: boolean;
  /** The number of events of the log. */
  readonly total: number;
  /** The number of the event that is looked at; `undefined` at the end of the log. */
  readonly point: number | undefined;
  readonly onPoint: (point: number | undefined) => void;
}

/** Milliseconds for an event while it plays. */
const SPEED = 500;

/** Moves through a log: a slider over its events with marks and the cost, buttons that step and jump, and play. */
export function Scrubber({ outline, isPart = false, total, point, onPoint }: ScrubberProps): ReactElement {
  const end = Math.max(0, total - 1);
  const at = Math.min(point ?? end, end);
  const [plays, setPlays] = useState(false);
  const go = (event: number): void => onPoint(event >= end ? undefined : Math.max(0, event));
  useEffect(() => {
    if (!plays) return undefined;
    const timer = setTimeout(() => {
      if (at + 1 >= end) setPlays(false);
      onPoint(at + 1 >= end ? undefined : at + 1);
    }, SPEED);
    return () => clearTimeout(timer);
  }, [plays, at, end, onPoint]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== ' ' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    setPlays(!plays);
  };
  const jumps = useMemo(() => jumpsOf(outline.marks), [outline]);
  const widest = useMemo(() => widestPlace(outline, total), [outline, total]);
  const known = isPart ? outline.events - 1 : end;
  const spent = at <= known ? outline.cost.findLast(({ event }) => event <= at) : undefined;
  return (
    <div className="tm-scrubber" role="group" aria-label="Time machine" onKeyDown={onKeyDown}>
      <div className="tm-buttons">
        <Step label="Step back" sign="‹" disabled={at <= 0} onClick={() => go(at - 1)} />
        <Step
          label={plays ? 'Stop playing' : 'Play'}
          sign={plays ? '❚❚' : '▶'}
          disabled={total < 2}
          onClick={() => {
            if (!plays && point === undefined) onPoint(0);
            setPlays(!plays);
          }}
        />
        <Step label="Step forward" sign="›" disabled={at >= end} onClick={() => go(at + 1)} />
      </div>
      <Track outline={outline} known={known} end={end} at={at} onGo={go} />
      <div className="tm-jumps">
        {jumps.map(({ id, label, marks }) => {
          const before = nextMark(marks, at, 'previous');
          const after = nextMark(marks, at, 'next');
          return (
            <span key={id} className="tm-jump" data-kind={id}>
              <Step
                label={`Previous ${label}`}
                sign="‹"
                disabled={before === undefined}
                onClick={() => go(before ?? at)}
              />
              <span aria-hidden="true">{label}</span>
              <Step label={`Next ${label}`} sign="›" disabled={after === undefined} onClick={() => go(after ?? at)} />
            </span>
          );
        })}
      </div>
      <p className="tm-where numbers" role="status" data-widest={widest}>
        <span>
          {point === undefined ? 'Live' : `Event ${amounts.count(at)}`}
          <span className="quiet"> of {amounts.count(total)}</span>
          {spent && <span className="quiet"> · {amounts.dollars(spent.total)}</span>}
        </span>
      </p>
    </div>
  );
}

/** Returns the longest text about a place, whose room is kept so that a step lays out nothing but its own text. */
function widestPlace({ cost }: pastViews.Outline, total: number): string {
  const most = cost.reduce((greatest, point) => Math.max(greatest, point.total), 0);
  // small amounts have more digits
  const [longest = ''] = [amounts.dollars(most), '$0.0000'].toSorted((one, other) => other.length - one.length);
  const spent = most === 0 ? '' : ` · ${longest}`;
  return `Event ${amounts.count(total)} of ${amounts.count(total)}${spent}`;
}

function Step(props: {
  readonly label: string;
  readonly sign: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
}): ReactElement {
  const { label, sign, disabled, onClick } = props;
  return (
    <button
      type="button"
      className="button tm-step"
      data-look="plain"
      data-size="small"
      title={label}
      aria-label={label}
      aria-disabled={disabled || undefined}
      onClick={() => !disabled && onClick()}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}

/** Width and height of the drawing; it is stretched to the width of the track. */
const [WIDTH, HEIGHT] = [1000, 24];

function Track({
  outline,
  known,
  end,
  at,
  onGo,
}: {
  readonly outline: pastViews.Outline;
  /** The last event that the outline covers. */
  readonly known: number;
  readonly end: number;
  readonly at: number;
  readonly onGo: (event: number) => void;
}): ReactElement {
  const marks = useMemo(() => drawnMarks(outline.marks, end + 1), [outline, end]);
  const curve = useMemo(() => costCurve(outline, { known, end }), [outline, known, end]);
  const here = marks.find(({ event, last }) => event <= at && at <= last);
  return (
    <div className="tm-track">
      <Marks marks={marks} curve={curve} end={end} />
      <input
        type="range"
        min={0}
        max={end}
        value={at}
        aria-label="Current event"
        aria-valuetext={`event ${at} of ${end}${here ? `, ${MARK_WORDS[here.kind] ?? here.kind} ${here.label}` : ''}`}
        onChange={({ target }) => onGo(target.valueAsNumber)}
      />
    </div>
  );
}

/** Width of a mark in the drawing. */
const MARK = 3;

/**
 * The marks are drawn again when the log grows, not when the scrubber moves: a path for each kind, because hundreds of elements
 * would take as much memory as all blocks that are shown.
 */
const Marks = memo(function Marks({
  marks,
  curve,
  end,
}: {
  readonly marks: readonly pastViews.OutlineMark[];
  readonly curve: string;
  readonly end: number;
}): ReactElement {
  const [pointed, setPointed] = useState<pastViews.OutlineMark>();
  const paths = useMemo(
    () =>
      marksByKind(marks).map(({ kind, marks: own }) => (
        <path key={kind} className="tm-mark" data-kind={kind} d={own.map((mark) => bar(mark, end)).join('')} />
      )),
    [marks, end],
  );
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const place = ((clientX - left) / width) * WIDTH - MARK / 2;
    setPointed(marks.find(({ event }) => Math.abs(leftOf(event, end) - place) <= MARK));
  };
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerMove={onPointerMove}
      onPointerLeave={() => setPointed(undefined)}
    >
      {pointed && <title>{aboutMark(pointed)}</title>}
      {curve !== '' && <path className="tm-cost" d={curve} />}
      {paths}
    </svg>
  );
});

/** Returns the place of an event in the drawing. */
function leftOf(event: number, end: number): number {
  return (event / Math.max(1, end)) * (WIDTH - MARK);
}

/** Returns the part of a path that draws a mark. */
function bar({ event, kind }: pastViews.OutlineMark, end: number): string {
  const [top, height] = kind === 'answer' ? [HEIGHT - 8, 8] : [HEIGHT - 14, 14];
  return `M${leftOf(event, end).toFixed(1)} ${top}h${MARK}v${height}h-${MARK}z`;
}

function aboutMark({ event, kind, label, count }: pastViews.OutlineMark): string {
  return `${MARK_WORDS[kind] ?? kind}${count > 1 ? ` (${count})` : ''} at ${event}: ${label}`;
}

/** Returns the path of the area below the cost, which ends at the last event that is known. */
function costCurve(
  { cost }: pastViews.Outline,
  { known, end }: { readonly known: number; readonly end: number },
): string {
  const most = cost.reduce((greatest, { total }) => Math.max(greatest, total), 0);
  if (most === 0) return '';
  const x = (event: number): string => ((event / Math.max(1, end)) * WIDTH).toFixed(1);
  const y = (total: number): string => (HEIGHT - (total / most) * (HEIGHT - 2)).toFixed(1);
  const steps = cost.map(({ event, total }) => `H${x(event)}V${y(total)}`);
  return `M0 ${HEIGHT}${steps.join('')}H${x(known)}V${HEIGHT}Z`;
}
