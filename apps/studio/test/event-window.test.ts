import { eventBytes } from '@conv/core/events';
import { type NumberedEvent, timeline } from '@conv/visualize/timeline';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventWindow, type WindowOptions } from '../src/page/window/event-window.ts';
import { readEarlier } from '../src/page/window/read-earlier.ts';
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
  | { readonly kind: 'moveTo' | 'look'; readonly to: number }
  | { readonly kind: 'toEnd' | 'above' | 'below' | 'deliver' }
  | { readonly kind: 'grow'; readonly seeds: readonly number[] };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constantFrom('moveTo' as const, 'look' as const), to: fc.nat(200) }),
  fc.record({ kind: fc.constantFrom('toEnd' as const, 'above' as const, 'below' as const, 'deliver' as const) }),
  fc.record({
    kind: fc.constant('grow' as const),
    seeds: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 12 }),
  }),
);

/** Bounds that a few moves reach. */
const bounds = fc.record({
  most: fc.integer({ min: 1, max: 40 }),
  mostBytes: fc.integer({ min: 1, max: 20_000 }),
  page: fc.integer({ min: 1, max: 15 }),
});

function bytesOf(events: readonly NumberedEvent[]): number {
  return events.reduce((sum, { event }) => sum + eventBytes(event), 0);
}

/** Expects a window within its bounds, without a gap, a double and an event of another place. */
function expectBounded(window: EventWindow, source: LogSource, { most, mostBytes }: Required<WindowOptions>): void {
  const { first, end, blocks } = window.snapshot;
  expect(end - first).toBeLessThanOrEqual(most);
  const held = source.all.filter(({ index }) => first <= index && index < end);
  // a single event may be larger
  expect(held.length <= 1 ? 0 : bytesOf(held)).toBeLessThanOrEqual(mostBytes);
  const shown = blocks.flatMap(({ events }) => events.filter(({ index }) => index < end));
  expect(new Set(shown.map(({ index }) => index)).size).toBe(shown.length);
  expect(
    shown.every((entry) => source.all.some(({ index, event }) => entry.index === index && entry.event === event)),
  ).toBe(true);
}

/** Expects the blocks that the complete log gives for the place of the window. */
function expectPartOf(window: EventWindow, source: LogSource): void {
  const { first, end, total, blocks } = window.snapshot;
  expect(total).toBe(source.events.length);
  expect(blocks).toEqual(timeline(source.all).filter(({ index }) => first <= index && index < end));
}

describe('EventWindow', () => {
  test('a full window at the end of a log reads what is earlier, again and again up to the first event', async () => {
    const source = new LogSource(Array.from({ length: 300 }, (_, place) => eventAt(place, 'message')));
    const window = new EventWindow(source, { most: 40, page: 10 });
    await window.toEnd();
    for (let turn = 0; turn < 29; turn++) {
      const { first } = window.snapshot;
      await readEarlier(window);
      expect(window.snapshot.first).toBe(first - 10);
    }
    expect(window.snapshot.first).toBe(0);
    window.close();
  });

  test('a window keeps its bounds and has the blocks of the log, in any order of moves, answers and arrivals', async () => {
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.array(move, { maxLength: 20 }),
        bounds,
        fc.scheduler(),
        async (start, moves, most, s) => {
          const open: string[] = [];
          const source = new LogSource(
            logOf(start, 0, open).map((short, place) => eventAt(place, short)),
            () => s.schedule(Promise.resolve()),
          );
          const window = new EventWindow(source, most);
          window.subscribe(() => expectBounded(window, source, most));
          const running = [window.moveTo(0)];
          const step = async (next: Move): Promise<void> => {
            if (next.kind === 'moveTo') running.push(window.moveTo(next.to));
            else if (next.kind === 'look') window.look(next.to);
            else if (next.kind === 'toEnd') running.push(window.toEnd());
            else if (next.kind === 'deliver') source.deliver();
            else if (next.kind === 'grow') {
              const at = source.events.length;
              logOf(next.seeds, at, open).forEach((short, offset) => source.write(eventAt(at + offset, short)));
            } else running.push(window.extend(next.kind));
          };
          s.scheduleSequence(moves.map((next) => ({ builder: () => step(next), label: JSON.stringify(next) })));
          await s.waitIdle();
          // what damage took at the end of a log is told with the next event
          source.append(eventAt(source.events.length, 'message'));
          await s.waitIdle();
          await Promise.all(running);
          expectPartOf(window, source);
          expect(window.snapshot.failure).toBeUndefined();
          window.close();
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('a window that stands at the end holds all of a log that fits into it, however the log grows', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.array(move, { maxLength: 12 }), fc.scheduler(), async (start, moves, s) => {
        const source = new LogSource(
          logOf(start).map((short, place) => eventAt(place, short)),
          () => s.schedule(Promise.resolve()),
        );
        const window = new EventWindow(source, { page: 1_000 });
        const running = [window.toEnd()];
        const grow = async (next: Move): Promise<void> => {
          if (next.kind === 'deliver') source.deliver();
          else if (next.kind === 'above') running.push(window.extend('above'));
          else source.write(eventAt(source.events.length, 'message'));
        };
        s.scheduleSequence(moves.map((next) => ({ builder: () => grow(next), label: next.kind })));
        await s.waitIdle();
        source.deliver();
        await s.waitIdle();
        await Promise.all(running);
        expect(window.snapshot).toMatchObject({ first: 0, end: source.events.length });
        expectPartOf(window, source);
        window.close();
      }),
      { numRuns: 1_000 },
    );
  });

  test('a window reads on at neither side when its bytes leave no room, until another place is looked at', async () => {
    const source = new LogSource(Array.from({ length: 100 }, (_, place) => eventAt(place, 'message')));
    const window = new EventWindow(source, { mostBytes: bytesOf(source.all.slice(0, 9)), page: 20 });
    await window.moveTo(50);
    const spans: string[] = [];
    for (let turn = 0; turn < 5; turn++)
      for (const side of ['above', 'below'] as const) {
        await window.extend(side);
        spans.push(`${window.snapshot.first} ${window.snapshot.end}`);
      }
    expect(new Set(spans.slice(-4)).size).toBe(1);
    const { first } = window.snapshot;
    window.look(first);
    await window.extend('above');
    expect(window.snapshot.first).toBeLessThan(first);
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

  test('a move to an event that is held changes nothing and tells no listener', async () => {
    const source = new LogSource(Array.from({ length: 100 }, (_, place) => eventAt(place, 'message')));
    const window = new EventWindow(source, { most: 30, page: 10 });
    await window.moveTo(50);
    const before = window.snapshot;
    let told = 0;
    window.subscribe(() => told++);
    await window.moveTo(49);
    expect(told).toBe(0);
    expect(window.snapshot).toBe(before);
    await window.moveTo(10);
    expect(told).toBe(1);
    expect(window.snapshot).toMatchObject({ first: 0, end: 20 });
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
