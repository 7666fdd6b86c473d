import { timeline } from '@conv/visualize/timeline';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventWindow } from '../src/page/window/event-window.ts';
import { eventAt, LogSource, type ShortEvent } from './log-source.ts';

/** Turns small numbers into a log in which each result stands at most a few events after its call. */
function logOf(seeds: readonly number[], from = 0, open: string[] = []): ShortEvent[] {
  return seeds.map((seed, offset): ShortEvent => {
    const place = from + offset;
    if (seed === 0) return 'lost';
    if (seed < 4) return 'message';
    if (seed < 7) {
      open.push(`call-${place}`);
      return { call: `call-${place}` };
    }
    const result = open.shift();
    return result === undefined ? 'message' : { result };
  });
}

const seeds = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 120 });

type Move =
  | { readonly kind: 'moveTo'; readonly to: number }
  | { readonly kind: 'toEnd' | 'above' | 'below' }
  | { readonly kind: 'grow'; readonly seeds: readonly number[] };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('moveTo' as const), to: fc.nat(200) }),
  fc.record({ kind: fc.constantFrom('toEnd' as const, 'above' as const, 'below' as const) }),
  fc.record({ kind: fc.constant('grow' as const), seeds: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 6 }) }),
);

function expectPartOf(window: EventWindow, source: LogSource, most: number): void {
  const { first, end, total, blocks } = window.snapshot;
  expect(end - first).toBeLessThanOrEqual(most);
  expect(total).toBe(source.events.length);
  const whole = timeline(source.all).filter(({ index }) => first <= index && index < end);
  expect(blocks).toEqual(whole);
}

describe('EventWindow', () => {
  test('a window shows the same blocks as the complete log, wherever it moves and however the log grows', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.array(move, { maxLength: 12 }), fc.boolean(), async (start, moves, settles) => {
        const open: string[] = [];
        const source = new LogSource(logOf(start, 0, open).map((short, place) => eventAt(place, short)));
        const window = new EventWindow(source, { most: 30, page: 7 });
        await window.moveTo(0);
        const running: Promise<void>[] = [];
        for (const step of moves) {
          if (step.kind === 'moveTo') running.push(window.moveTo(step.to));
          else if (step.kind === 'toEnd') running.push(window.toEnd());
          else if (step.kind === 'grow') {
            const at = source.events.length;
            logOf(step.seeds, at, open).forEach((short, offset) => source.append(eventAt(at + offset, short)));
          } else running.push(window.extend(step.kind));
          if (settles) {
            await Promise.all(running);
            expectPartOf(window, source, 30);
          }
        }
        await Promise.all(running);
        // what comes during the last read is taken in by the next one at the latest
        await window.extend('below');
        expectPartOf(window, source, 30);
        window.close();
      }),
      { numRuns: 300 },
    );
  });

  test('a window at the end follows the log, and says how long the log is elsewhere', async () => {
    const source = new LogSource(Array.from({ length: 100 }, (_, place) => eventAt(place, 'message')));
    const window = new EventWindow(source, { most: 30, page: 10 });
    await window.toEnd();
    source.append(eventAt(100, 'message'));
    expect(window.snapshot).toMatchObject({ first: 90, end: 101, total: 101 });
    await window.moveTo(20);
    source.append(eventAt(101, 'message'));
    expect(window.snapshot).toMatchObject({ first: 10, end: 30, total: 102 });
  });

  test('a window holds a bounded part, and drops what is far from the place that is looked at', async () => {
    const source = new LogSource(Array.from({ length: 1000 }, (_, place) => eventAt(place, 'message')));
    const window = new EventWindow(source, { most: 50, page: 20 });
    await window.moveTo(500);
    for (let index = 480; index > 300; index -= 20) {
      window.look(index);
      await window.extend('above');
    }
    expect(window.snapshot).toMatchObject({ first: 300, end: 350 });
  });

  test('a block that did not change stays the same object', async () => {
    const source = new LogSource([eventAt(0, 'message'), eventAt(1, { call: 'a' })]);
    const window = new EventWindow(source);
    await window.toEnd();
    const before = window.snapshot.blocks;
    source.append(eventAt(2, { result: 'a' }));
    const after = window.snapshot.blocks;
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toMatchObject({ kind: 'call', result: { text: 'done a' } });
    expect(after).toHaveLength(2);
  });

  test('a read that fails is told, and the next one shows the log again', async () => {
    const source = new LogSource([eventAt(0, 'message')]);
    let fails = true;
    const slice = source.events.slice;
    const events = {
      get length() {
        return source.events.length;
      },
      at: source.events.at,
      slice: async (...range: Parameters<typeof slice>) => {
        if (fails) throw new Error('server is gone');
        return slice(...range);
      },
    };
    const window = new EventWindow({ events, subscribe: (...given) => source.subscribe(...given) });
    await window.toEnd();
    expect(window.snapshot).toMatchObject({ loading: true, failure: new Error('server is gone') });
    fails = false;
    await window.toEnd();
    expect(window.snapshot).toMatchObject({ loading: false, failure: undefined, end: 1 });
  });
});
