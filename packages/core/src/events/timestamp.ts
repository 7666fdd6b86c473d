import type { Platform } from '../platform/platform.ts';
import { systemPlatform } from '../platform/system-platform.ts';

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?/;
const MICROS_PER_SECOND = 1_000_000;

/**
 * A time as events carry it: the local time without a zone, with six fraction digits.
 * @param time a `Date`, or milliseconds since the epoch whose fraction gives the microseconds
 */
export function localTimestamp(time: Date | number): string {
  const micros = Math.round(Number(time) * 1000);
  const second = Math.floor(micros / MICROS_PER_SECOND);
  if (second !== shown.second) {
    const date = new Date(second * 1000);
    const day = `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
    const clock = `${digits(date.getHours(), 2)}:${digits(date.getMinutes(), 2)}:${digits(date.getSeconds(), 2)}`;
    shown = { second, text: `${day}T${clock}` };
  }
  return `${shown.text}.${digits(micros - second * MICROS_PER_SECOND, 6)}`;
}

/** The second of the last call, because many events come in one second. */
let shown = { second: Number.NaN, text: '' };

const ZONE_OR_END = /^(?:\d*(?:Z|[+-]\d{2}:?\d{2})?)$/;

/** True if a text is a time that sorts among the times of {@link localTimestamp}; it may have a zone and fewer or more digits. */
export function isTimestamp(text: string): boolean {
  const match = SHAPE.exec(text);
  return match !== null && ZONE_OR_END.test(text.slice(match[0].length)) && !Number.isNaN(Date.parse(match[0]));
}

/** Makes a clock whose timestamps only ever increase. `now` gives the time as a platform does, default the wall clock of the host. */
export function createClock({ now = systemPlatform.now }: Partial<Pick<Platform, 'now'>> = {}): {
  /**
   * A timestamp that as a string is greater than every earlier one of this clock and than `after`, the last timestamp of
   * the log: the local time, or a microsecond more than the last one if that is not enough (summer time ends, the
   * system clock is set back, two events in one tick). An `after` that is not an ISO time is ignored.
   */
  next(after?: string): string;
} {
  let last = '';
  return {
    next(after = '') {
      let next = localTimestamp(now());
      for (const earlier of [last, after]) if (next <= earlier) next = successor(earlier) ?? next;
      last = next;
      return next;
    },
  };
}

/** The smallest usual timestamp above a given one, or undefined if that is not a time. */
function successor(timestamp: string): string | undefined {
  const match = SHAPE.exec(timestamp);
  if (match === null) return undefined;
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map(Number);
  const micros = Number((match[7] ?? '').padEnd(6, '0')) + 1;
  const start = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hours, minutes, seconds);
  const byMicro = micros === MICROS_PER_SECOND ? '' : naive(start, micros);
  // After the digits there may be a zone, which sorts above a fraction: then only the next second is greater.
  const next = byMicro > timestamp ? byMicro : naive(start + 1000, 0);
  return next > timestamp ? next : undefined;
}

function naive(utcMillis: number, micros: number): string {
  return `${new Date(utcMillis).toISOString().slice(0, 19)}.${digits(micros, 6)}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
