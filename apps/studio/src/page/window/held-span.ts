import { eventBytes } from '@conv/core/events';
import type { NumberedEvent } from '@conv/visualize/timeline';

/** A part of a log without a gap: the events that damage left between two numbers. */
export interface HeldSpan {
  /** The number of the first event that is covered. */
  readonly first: number;
  /** The number after the last event that is covered. */
  readonly end: number;
  readonly events: readonly NumberedEvent[];
}

/** Bounds of a span. */
export interface SpanBounds {
  /** Numbers that are covered at most. */
  readonly events: number;
  /** Bytes of JSON that are held at most. A single event may have more. */
  readonly bytes: number;
}

const sizes = new WeakMap<NumberedEvent['event'], number>();

/** Returns the bytes of an event as JSON, and remembers them. */
export function bytesOf({ event }: NumberedEvent): number {
  const known = sizes.get(event);
  if (known !== undefined) return known;
  const bytes = eventBytes(event);
  sizes.set(event, bytes);
  return bytes;
}

/** Returns a span within its bounds: what is farther from the number `look` goes first, so what is looked at stays. */
export function boundSpan({ first, end, events }: HeldSpan, look: number, most: SpanBounds): HeldSpan {
  let bytes = events.reduce((sum, entry) => sum + bytesOf(entry), 0);
  let [from, to] = [0, events.length];
  let [low, high] = [first, end];
  while (high - low > most.events || (bytes > most.bytes && to - from > 1)) {
    const isStart = look - low >= high - look;
    const entry = isStart ? events[from] : events[to - 1];
    const number = isStart ? low++ : --high;
    // damage may have taken the event of this number
    if (entry?.index !== number) continue;
    bytes -= bytesOf(entry);
    if (isStart) from++;
    else to--;
  }
  return { first: low, end: high, events: events.slice(from, to) };
}
