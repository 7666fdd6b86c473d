import { readFileSync } from 'node:fs';

import { readTransitionTable } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { nextQuestion, type StopEvent, type StopQuestion } from '../../src/safeguards/stop-question.ts';

const QUESTIONS: readonly StopQuestion[] = ['none', 'asked', 'sentBack', 'askedAgain'];
const EVENTS: readonly StopEvent[] = ['hold', 'drop', 'passed', 'blocked'];

const SOURCE = new URL('../../src/safeguards/stop-question.ts', import.meta.url);
const TABLE = readTransitionTable(readFileSync(SOURCE, 'utf8'));

test('the table of the question to Stop hooks has a cell for every state and every event', () => {
  const pairs = EVENTS.flatMap((event) => QUESTIONS.map((question) => `${question} ${event}`));
  expect(TABLE.map(({ state, event }) => `${state} ${event}`)).toEqual(pairs);
});

const nextOf = ({ state, event }: { readonly state: string; readonly event: string }): StopQuestion =>
  nextQuestion(state as StopQuestion, event as StopEvent);

test.for(TABLE.filter(({ next }) => next !== undefined))(
  'a question to Stop hooks that is $state moves on $event as its table says',
  (cell) => expect(nextOf(cell)).toBe(cell.next),
);

test.for(TABLE.filter(({ next }) => next === undefined))(
  'a question to Stop hooks that is $state throws on $event',
  (cell) => expect(() => nextOf(cell)).toThrow(`that is ${cell.state} cannot handle ${cell.event}`),
);
