import type { Event } from '@conv/core/events';
import { firstInCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { EventClient } from '../src/door/event-client.ts';
import { parseOptions } from '../src/options.ts';
import { compare } from '../src/show/compare.ts';
import { EventDisplay } from '../src/show/event-display.ts';
import { TurnDisplay } from '../src/show/turn-display.ts';

const LOG = ['one', 'two', 'two', 'three'];

test.each([
  ['the log', LOG, [0, 0, 0]],
  ['a line less', ['one', 'two', 'three'], [1, 0, 0]],
  ['a line twice', ['one', 'one', 'two', 'two', 'three'], [0, 1, 0]],
  ['a line of nothing', [...LOG, 'void'], [0, 1, 0]],
  ['another order', ['two', 'one', 'two', 'three'], [0, 0, 1]],
  ['a changed line', ['one', 'two', 'two', 'thr'], [1, 1, 0]],
])('a client that shows %s is told apart from the log', (_, shown, [missing, duplicated, misordered]) => {
  expect(compare(shown, LOG)).toEqual({ missing, duplicated, misordered });
});

const answer = {
  id: 'a',
  kind: 'MessageEvent',
  source: 'agent',
  timestamp: '',
  llm_message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
} as unknown as Event;

test('a client of events shows an event twice that comes twice, and pieces that were not taken back', () => {
  const display = new EventDisplay();
  display.event({ index: 0, event: answer });
  display.event({ index: 0, event: answer });
  display.begin('b');
  display.piece('b', 'text', 'void');
  expect(display.lines()).toEqual(['text: Hello', 'text: Hello', 'text: void']);
  display.withdraw('b');
  expect(display.lines()).toEqual(['text: Hello', 'text: Hello']);
});

test('the events that a client hands to the next one do not grow while that one opens', async () => {
  let show: (index: number) => void = () => undefined;
  const client = new EventClient({ url: '', id: '' }, true, async ({ display }) => {
    show = (index) => display.event({ index, event: answer });
  });
  show(0);
  const known = await client.known();
  show(1);
  expect([known?.length, (await client.known())?.length]).toEqual([1, 2]);
  await client.close();
});

test('a client of changes writes the rest of an answer behind its pieces', () => {
  const display = new TurnDisplay([]);
  const item = { kind: 'answer', id: 'a', index: 0, timestamp: '', text: 'Hello', reasoning: '', content: [] } as const;
  display.take({ type: 'piece', id: 'a', part: 'text', text: 'He', attempt: 1, cursor: -1 });
  display.take({ type: 'item', item, streamed: { text: 1, reasoning: 0 }, cursor: 0 });
  expect(display.lines()).toEqual(['text: Heello']);
});

test('options have defaults, and a wrong one is named', () => {
  expect(parseOptions([])).toMatchObject({ rounds: 11, every: 1, kills: 20, seed: firstInCi(11) });
  expect(() => parseOptions(['--every', '0'])).toThrow('--every takes a whole number of at least 1, not 0');
});
