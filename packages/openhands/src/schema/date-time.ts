import { z } from 'zod';
import { localTimestamp } from '@conv/core/events';
import { documented } from './named.ts';

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt _](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * A time in a query about events, read as these carry it: local, without zone, six fraction digits. A time with a zone is
 * converted, one without is local already; a date alone is its midnight.
 */
export const localDateTime: z.ZodType<string> = dateTime(localTimestamp);

/** A time in a query about what is stamped in UTC, read as UTC with six fraction digits and `Z`. Without a zone it is local. */
export const utcDateTime: z.ZodType<string> = dateTime((milliseconds) => {
  const micros = Math.round(milliseconds * 1000);
  const seconds = Math.floor(micros / 1_000_000);
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${whole}.${String(micros - seconds * 1_000_000).padStart(6, '0')}Z`;
});

function dateTime(write: (milliseconds: number) => string): z.ZodType<string> {
  return documented(
    z.string().transform((text, context) => {
      const time = millisecondsOf(text);
      if (time !== undefined) return write(time);
      context.issues.push({
        code: 'invalid_format',
        format: 'datetime',
        message: 'Input should be a valid datetime',
        input: text,
      });
      return z.NEVER;
    }),
    { type: 'string', format: 'date-time' },
  );
}

/** Milliseconds since the epoch, with the microseconds as their fraction. */
function millisecondsOf(text: string): number | undefined {
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [, day, clock = '00:00', seconds = '00', fraction = '', zone = ''] = match;
  const plain = Date.parse(`${day}T${clock}:${seconds}${zoneOf(zone)}`);
  if (Number.isNaN(plain)) return undefined;
  return plain + Number(fraction.slice(0, 6).padEnd(6, '0')) / 1000;
}

function zoneOf(zone: string): string {
  if (zone === '' || zone.toUpperCase() === 'Z') return zone.toUpperCase();
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
