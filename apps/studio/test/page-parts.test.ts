import type { AnswerDelta, pastViews } from '@conv/core';
import { ROOT_PARENT } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { timeline } from '@conv/visualize/timeline';
import { describe, expect, test } from 'vitest';
import { alignPaths } from '../src/page/compare/align-paths.ts';
import { formatPoint, parsePoint } from '../src/page/compare/parse-point.ts';
import { readPath } from '../src/page/compare/read-path.ts';
import { type LiveAnswer, withDelta } from '../src/page/conversation/answer-delta.ts';
import { amounts } from '../src/page/design/amounts.ts';
import { drawnMarks, jumpsOf, nextMark } from '../src/page/time/marks.ts';
import { mergeOutline } from '../src/page/time/merge-outline.ts';
import { stateDiff } from '../src/page/time/state-diff.ts';
import { joinFiles, touchedFiles } from '../src/page/time/touched-files.ts';
import { joinBars } from '../src/page/understand/join-bars.ts';
import { outlineTree } from '../src/page/understand/outline-tree.ts';
import { readStarts } from '../src/page/understand/read-starts.ts';
import { sequenceSteps } from '../src/page/understand/sequence-steps.ts';
import { eventAt, LogSource } from './log-source.ts';

const numbered = (
  from: number,
  count: number,
  shift = 0,
): { index: number; event: NonNullable<ReturnType<typeof eventAt>> }[] =>
  Array.from({ length: count }, (_, offset) => {
    const event = eventAt(from + offset, 'message');
    if (!event) throw new Error('a message is an event');
    return { index: from + offset - shift, event };
  });

describe('answers on their way', () => {
  const delta = (text: string, attempt = 1, kind: AnswerDelta['kind'] = 'text'): AnswerDelta => ({
    kind,
    text,
    attempt,
    eventId: 'e',
    order: 0,
  });

  test('pieces of an answer are joined by kind', () => {
    const pieces = [delta('Hel'), delta('hm', 1, 'reasoning'), delta('lo')];
    expect(pieces.reduce<readonly LiveAnswer[]>(withDelta, [])).toEqual([
      { id: 'e', attempt: 1, late: false, text: 'Hello', reasoning: 'hm', call: '' },
    ]);
  });

  test('a later attempt drops the pieces of an earlier one, and late pieces of it are ignored', () => {
    const pieces = [delta('wrong'), delta('right', 2), delta('late', 1)];
    expect(pieces.reduce<readonly LiveAnswer[]>(withDelta, [])).toMatchObject([{ attempt: 2, text: 'right' }]);
  });
});

describe('comparison', () => {
  test('two paths are aligned at the last event that both have', () => {
    const shared = numbered(0, 5);
    const aligned = alignPaths([...shared, ...numbered(5, 3)], [...numbered(2, 3, 2), ...numbered(20, 1)]);
    expect(aligned.common.map(({ a, b }) => [a.index, b.index])).toEqual([
      [2, 0],
      [3, 1],
      [4, 2],
    ]);
    expect(aligned.a.map(({ index }) => index)).toEqual([5, 6, 7]);
    expect(aligned.b.map(({ index }) => index)).toEqual([20]);
  });

  test('paths without a common event are whole on both sides', () => {
    expect(alignPaths(numbered(0, 2), numbered(10, 1))).toMatchObject({
      common: [],
      a: { length: 2 },
      b: { length: 1 },
    });
  });

  test('a path leaves out the events of other branches, and stops at its limit', async () => {
    const events = Array.from({ length: 6 }, (_, place) => eventAt(place, 'message'));
    const [first, , third] = events;
    // the fourth event continues from the first, so the second and the third are another branch
    events[3] = { ...events[3], parent_id: first?.id } as typeof third;
    const source = new LogSource(events).events;
    const path = await readPath(source, 5, 100);
    expect(path.events.map(({ index }) => index)).toEqual([0, 3, 4, 5]);
    expect((await readPath(source, 5, 2)).whole).toBe(false);
  });

  test('a point is read as it is written, and anything else is refused', () => {
    const point = { id: '00000000-0000-4000-8000-000000000000', event: 12 };
    expect(parsePoint(formatPoint(point))).toEqual(point);
    expect(parsePoint('javascript:alert(1)')).toBe(undefined);
  });
});

describe('time machine', () => {
  const mark = (kind: pastViews.OutlineMark['kind'], event: number, last = event): pastViews.OutlineMark => ({
    kind,
    event,
    last,
    count: 1,
    label: '',
    timestamp: '',
  });

  test('the next and the previous mark are found from any point, inside of joined marks too', () => {
    const all = [mark('error', 10), mark('message', 15), mark('error', 20, 40)];
    const marks = jumpsOf(all).find(({ id }) => id === 'error')?.marks ?? [];
    expect(nextMark(marks, 5, 'next')).toBe(10);
    expect(nextMark(marks, 10, 'next')).toBe(20);
    expect(nextMark(marks, 25, 'next')).toBe(40);
    expect(nextMark(marks, 40, 'next')).toBe(undefined);
    expect(nextMark(marks, 15, 'previous')).toBe(10);
    expect(nextMark(marks, 50, 'previous')).toBe(40);
    expect(nextMark(marks, 10, 'previous')).toBe(undefined);
  });

  test('the time machine draws the gravest of several marks at one place', () => {
    expect(drawnMarks([mark('message', 0), mark('error', 1), mark('answer', 2)], 100_000)).toMatchObject([
      { kind: 'error' },
    ]);
  });

  test('news of an outline replace what they cover', () => {
    const known: pastViews.Outline = {
      from: 0,
      events: 10,
      marks: [mark('message', 1), mark('message', 9)],
      cost: [{ event: 9, total: 1 }],
    };
    const news: pastViews.Outline = { from: 8, events: 12, marks: [mark('error', 9)], cost: [{ event: 11, total: 2 }] };
    expect(mergeOutline(known, news)).toMatchObject({
      events: 12,
      marks: [{ event: 1 }, { kind: 'error', event: 9 }],
      cost: [{ total: 2 }],
    });
  });

  test('a difference of states names members that were added, removed and changed', () => {
    const before = { title: 'a', tags: { one: '1', two: '2' }, list: [1], same: { deep: true } };
    const after = { title: 'b', tags: { two: '2', three: '3' }, list: [1], same: { deep: true } };
    expect(stateDiff(before, after)).toEqual([
      { path: 'title', kind: 'changed', before: 'a', after: 'b' },
      { path: 'tags.one', kind: 'removed', before: '1', after: undefined },
      { path: 'tags.three', kind: 'added', before: undefined, after: '3' },
    ]);
  });

  test('files of two parts of a log are joined, the newest first', () => {
    const file = { changes: 1, views: 0, last: 3 };
    const later = [{ path: 'a', changes: 2, views: 1, last: 9 }];
    expect(
      joinFiles(
        [
          { path: 'b', ...file },
          { path: 'a', ...file },
        ],
        later,
      ),
    ).toEqual([
      { path: 'a', changes: 3, views: 1, last: 9 },
      { path: 'b', ...file },
    ]);
    expect(touchedFiles(numbered(0, 3))).toEqual([]);
  });
});

describe('understanding', () => {
  const mark = (kind: pastViews.OutlineMark['kind'], event: number): pastViews.OutlineMark => ({
    kind,
    event,
    last: event,
    count: 1,
    label: '',
    timestamp: '',
  });

  test('the tree of branches follows from the outline: each after its parent, with its marks', () => {
    const marks = [mark('approval', 1), mark('branch', 4), mark('subagent', 5), mark('message', 6), mark('branch', 8)];
    const starts = [
      { event: 8, from: 1 },
      { event: 4, from: 2 },
    ];
    const runs = outlineTree({ events: 10, marks }, starts, 9);
    expect(runs.map(({ first, last, from, depth, live }) => ({ first, last, from, depth, live }))).toEqual([
      { first: 0, last: 3, from: undefined, depth: 0, live: true },
      { first: 4, last: 7, from: 2, depth: 1, live: false },
      { first: 8, last: 9, from: 1, depth: 1, live: true },
    ]);
    expect(runs.map((run) => run.marks.map(({ kind, event }) => `${kind} ${event}`))).toEqual([
      ['approval 1'],
      ['subagent 5'],
      [],
    ]);
  });

  test('beginnings of branches are read one event each, and a return to where HEAD was is none', async () => {
    const events = Array.from({ length: 6 }, (_, place) => eventAt(place, 'message'));
    events[3] = { ...events[3], parent_id: events[0]?.id } as (typeof events)[3];
    events[5] = { ...events[5], parent_id: ROOT_PARENT } as (typeof events)[5];
    events[4] = { ...events[4], parent_id: events[3]?.id } as (typeof events)[4];
    const read: number[] = [];
    const list = {
      at: async (number: number) => {
        read.push(number);
        return events[number];
      },
      indexOf: async (id: string) => toEventIndex(events.findIndex((event) => event?.id === id)),
    };
    const marks = [mark('message', 0), mark('branch', 3), mark('branch', 4), mark('branch', 5)];
    expect(await readStarts({ marks }, list)).toEqual([
      { event: 3, from: 0 },
      { event: 5, from: undefined },
    ]);
    expect(read).toEqual([3, 4, 5]);
  });

  test('too many bars are joined, and their sum stays', () => {
    const bars = Array.from({ length: 250 }, (_, place) => ({ label: String(place), values: [1, place] }));
    const joined = joinBars(bars, 100);
    expect(joined.length).toBeLessThanOrEqual(100);
    expect(joined.reduce((sum, { values }) => sum + (values[1] ?? 0), 0)).toBe((249 * 250) / 2);
    expect(joined[0]?.label).toBe('0 – 2');
  });

  test('a call and its result are two arrows between the agent and the tool', () => {
    const log = [eventAt(0, 'message'), eventAt(1, { call: 'a' }), eventAt(2, { result: 'a' })];
    const blocks = timeline(log.flatMap((event, index) => (event ? [{ index, event }] : [])));
    const { lanes, steps } = sequenceSteps(blocks, 5);
    expect(lanes).toEqual(['Person', 'Agent', 'terminal']);
    expect(steps.map(({ from, to }) => `${from} ${to}`)).toEqual(['Person Agent', 'Agent terminal', 'terminal Agent']);
  });

  test('each call of a lane that tools share names its tool', () => {
    const log = [eventAt(0, 'message'), eventAt(1, { call: 'a' }), eventAt(2, { result: 'a' })];
    const blocks = timeline(log.flatMap((event, index) => (event ? [{ index, event }] : [])));
    const { lanes, steps } = sequenceSteps(blocks, 0);
    expect(lanes).toEqual(['Person', 'Agent', 'Tools']);
    expect(steps[1]?.text).toMatch(/^terminal/);
  });
});

test('a number of things has the form of their number', () => {
  expect([0, 1, 1200].map((number) => amounts.of(number, 'event'))).toEqual(['0 events', '1 event', '1,200 events']);
});

test('dollars are shown with the digits that tell them apart, and no cost as none', () => {
  const shown = [0, 0.00001, 0.00123, 0.0346, 0.5, 1.2, 1234.5].map(amounts.dollars);
  expect(shown).toEqual(['$0', '<$0.0001', '$0.0012', '$0.035', '$0.500', '$1.20', '$1,234.50']);
});
