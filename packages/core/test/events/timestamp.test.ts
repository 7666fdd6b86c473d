import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClock, localTimestamp } from '../../src/events/index.ts';

const SHAPE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/;
const millis = fc.double({ min: 0, max: 4e12, noNaN: true });

describe('localTimestamp', () => {
  test('localTimestamp shows the local time with six fraction digits', () => {
    expect(localTimestamp(new Date(2026, 2, 1, 9, 5, 7, 45))).toBe('2026-03-01T09:05:07.045000');
    expect(localTimestamp(new Date(2026, 2, 1, 9, 5, 7).getTime() + 0.123)).toBe('2026-03-01T09:05:07.000123');
    expect(localTimestamp(new Date(2026, 2, 1, 9, 5, 7))).toBe('2026-03-01T09:05:07.000000');
  });

  test('a local timestamp always has the same shape', () => {
    fc.assert(
      fc.property(millis, (time) => {
        expect(localTimestamp(time)).toMatch(SHAPE);
      }),
    );
  });
});

describe('a clock', () => {
  test('a clock increases strictly as strings, however the time jumps', () => {
    fc.assert(
      fc.property(fc.array(millis, { minLength: 2, maxLength: 50 }), (times) => {
        let index = 0;
        const clock = createClock({ now: () => times[index] ?? 0 });
        const stamps = times.map((_time, position) => {
          index = position;
          return clock.next();
        });
        expect(stamps).toEqual([...new Set(stamps)].toSorted());
        expect(stamps.every((stamp) => SHAPE.test(stamp))).toBe(true);
      }),
    );
  });

  test('a clock continues after the last timestamp of the log', () => {
    const clock = createClock({ now: () => new Date(2026, 0, 1).getTime() });
    expect(clock.next('2030-12-31T23:59:59.999998')).toBe('2030-12-31T23:59:59.999999');
    expect(clock.next('2020-01-01T00:00:00.000000')).toBe('2031-01-01T00:00:00.000000');
  });

  test.each([
    '2030-01-01T00:00:00',
    '2030-01-01T00:00:00.5',
    '2030-01-01T00:00:00.999999',
    '2030-01-01T00:00:00Z',
    '2030-01-01T00:00:00+02:00',
    '2030-01-01T00:00:00.123456Z',
    '2030-01-01T00:00:00.123456789',
    '2030-13-45T99:99:99',
  ])("a clock's next timestamp is greater than %s", (last) => {
    const next = createClock({ now: () => 0 }).next(last);
    expect(next > last).toBe(true);
    expect(next).toMatch(SHAPE);
  });

  test.each(['zzz', '', '2030'])('a clock ignores %j, which is not a time', (last) => {
    expect(createClock({ now: () => new Date(2026, 0, 1).getTime() }).next(last)).toBe('2026-01-01T00:00:00.000000');
  });

  test('a clock needs no options', () => {
    const clock = createClock();
    expect(clock.next() < clock.next()).toBe(true);
  });
});
