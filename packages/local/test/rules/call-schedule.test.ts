import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ActionEvent } from '@conv/core/events';

import { CallSchedule } from '../../src/rules/call-schedule.ts';

type Needs = readonly string[] | undefined;

const call = (id: string, tool = 'work', action: object = {}): ActionEvent =>
  ({ id, tool_name: tool, source: 'agent', kind: 'ActionEvent', action }) as ActionEvent;
const ids = (calls: readonly ActionEvent[]): string => calls.map(({ id }) => id).join('');

/** A schedule of calls named a, b, c …, which need what stands at their place. */
function scheduleOf(limit: number, needs: readonly Needs[]): { schedule: CallSchedule; calls: readonly ActionEvent[] } {
  const calls = needs.map((_, at) => call(String.fromCharCode(97 + at)));
  const resources = ({ id }: ActionEvent): Needs => needs[id.charCodeAt(0) - 97];
  return { schedule: new CallSchedule({ resources, toolConcurrency: limit }), calls };
}

const anyNeeds = fc.option(fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'tool:work'), { maxLength: 3 }), {
  nil: undefined,
  freq: 4,
});

describe('concurrent calls', () => {
  test('a call waits for what another one holds and for nothing else', () => {
    const { schedule, calls } = scheduleOf(9, [['x'], ['x'], [], ['y'], undefined, undefined]);
    const { begun, blocked } = schedule.begin(calls);
    expect(ids(begun)).toBe('acde');
    expect(blocked.map(({ action, key, holder }) => [action.id, key, holder.id])).toEqual([
      ['b', 'x', 'a'],
      ['f', 'tool:work', 'e'],
    ]);
  });

  test('a call holds nothing while it waits, and later calls do not go before it', () => {
    const { schedule, calls } = scheduleOf(9, [['x'], ['x', 'y'], ['y'], ['z']]);
    expect(ids(schedule.begin(calls).begun)).toBe('ad');
    const [a, b, c] = calls as [ActionEvent, ActionEvent, ActionEvent];
    expect(ids(schedule.begin([b, c]).begun)).toBe('');
    schedule.end(a);
    expect(ids(schedule.begin([b, c]).begun)).toBe('b');
    schedule.end(b);
    expect(ids(schedule.begin([c]).begun)).toBe('c');
  });

  test('a call that only waits for its turn waits for no resource', () => {
    const { schedule, calls } = scheduleOf(1, [['x'], ['x']]);
    expect(schedule.begin(calls)).toEqual({ begun: [calls[0]], blocked: [] });
  });

  test('a tool that cannot say what it needs runs one call at a time', () => {
    const resources = (): never => {
      throw new Error('no idea');
    };
    const schedule = new CallSchedule({ resources, toolConcurrency: 9 });
    expect(ids(schedule.begin([call('a'), call('b'), call('c', 'other')]).begun)).toBe('ac');
  });

  test.each<[string, unknown]>([
    ['a promise', Promise.resolve([])],
    ['a text', 'x'],
    ['a list of other things', [7]],
  ])('a tool that says what it needs by %s runs one call at a time', (_, said) => {
    const schedule = new CallSchedule({ resources: () => said as Needs, toolConcurrency: 9 });
    expect(ids(schedule.begin([call('a'), call('b'), call('c', 'other')]).begun)).toBe('ac');
  });

  test('a tool of others that is named finish runs beside other calls', () => {
    const schedule = new CallSchedule({ resources: () => [], toolConcurrency: 9 });
    expect(ids(schedule.begin([call('a'), call('f', 'finish', { kind: 'MCPToolAction' })]).begun)).toBe('af');
  });

  test('finish runs alone: after what stands before it, and before what stands behind it', () => {
    const schedule = new CallSchedule({ resources: () => [], toolConcurrency: 9 });
    const [a, finish, b] = [call('a'), call('f', 'finish', { message: '', kind: 'FinishAction' }), call('b')];
    expect(ids(schedule.begin([a, finish, b]).begun)).toBe('a');
    expect(ids(schedule.begin([finish, b]).begun)).toBe('');
    schedule.end(a);
    expect(ids(schedule.begin([finish, b]).begun)).toBe('f');
    expect(ids(schedule.begin([b]).begun)).toBe('');
    schedule.end(finish);
    expect(ids(schedule.begin([b]).begun)).toBe('b');
  });

  test.each([0, -1, Number.NaN, 0.5])('an agent that says %s runs one call at a time', (toolConcurrency) => {
    expect(new CallSchedule({ resources: () => [], toolConcurrency }).limit).toBe(1);
  });

  test('a tool is asked once for the keys of each call, and never where calls run one by one', () => {
    const asked: string[] = [];
    const resources = ({ id }: ActionEvent): Needs => {
      asked.push(id);
      return ['x'];
    };
    const calls = [call('a'), call('b')];
    for (const toolConcurrency of [1, 2]) {
      const schedule = new CallSchedule({ resources, toolConcurrency });
      schedule.begin(calls);
      schedule.begin(calls.slice(1));
    }
    expect(asked).toEqual(['a', 'b']);
  });

  test('calls in any order never share a key, never exceed the limit, and each run once', () => {
    const lives = fc.record({
      limit: fc.integer({ min: 1, max: 5 }),
      needs: fc.array(anyNeeds, { minLength: 1, maxLength: 12 }),
      ends: fc.infiniteStream(fc.nat()),
    });
    fc.assert(
      fc.property(lives, ({ limit, needs, ends }) => {
        const { schedule, calls } = scheduleOf(limit, needs);
        const keysOf = ({ id }: ActionEvent): readonly string[] => needs[id.charCodeAt(0) - 97] ?? ['tool:work'];
        const begun: ActionEvent[] = [];
        let running: readonly ActionEvent[] = [];
        let waiting: readonly ActionEvent[] = calls;
        while (waiting.length > 0 || running.length > 0) {
          const next = schedule.begin(waiting);
          begun.push(...next.begun);
          running = [...running, ...next.begun];
          waiting = waiting.filter((each) => !next.begun.includes(each));
          expect(running.length).toBeGreaterThan(0);
          expect(running.length).toBeLessThanOrEqual(limit);
          const held = running.flatMap(keysOf);
          expect(new Set(held).size).toBe(held.length);
          for (const { action, key, holder } of next.blocked) {
            expect(keysOf(action)).toContain(key);
            expect(running).toContain(holder);
          }
          const over = running[ends.next().value % running.length] as ActionEvent;
          schedule.end(over);
          running = running.filter((each) => each !== over);
        }
        expect(begun.map(({ id }) => id).toSorted()).toEqual(calls.map(({ id }) => id));
        // calls that need the same resource begin in their order
        for (const key of ['x', 'y', 'z', 'tool:work']) {
          const order = begun.filter((each) => keysOf(each).includes(key)).map(({ id }) => id);
          expect(order).toEqual(order.toSorted());
        }
      }),
    );
  });
});
