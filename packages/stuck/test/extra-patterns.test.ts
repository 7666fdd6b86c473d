import { isEvent, type Event } from '@conv/core/events';
import { expect, test } from 'vitest';
import { createStuckDetector, type Step, type StuckPattern } from '../src/index.ts';
import { History, times } from './history.ts';

/** The model excuses itself in its thoughts, three times in a row. */
const excuses: StuckPattern<readonly Step[]> = {
  name: 'excuses',
  initial: [],
  apply: (before, step, events) => (events.some(isExcuse) ? [...before, step].slice(-3) : []),
  find: (steps) =>
    steps.length < 3 ? undefined : { steps, description: 'Three excuses in a row.', advice: 'Find the cause instead.' },
};

function isExcuse(event: Event): boolean {
  return isEvent(event, 'ActionEvent') && event.thought.some(({ text }) => text.startsWith('Sorry'));
}

test('a pattern of one own sees content, is warned of and then stopped like the others', () => {
  const history = new History(createStuckDetector({ extraPatterns: [excuses] }));
  const excuse = (index: number): void => history.respond([{ command: `try ${index}`, thought: 'Sorry!' }]);
  times(2, excuse);
  expect(history.verdict).toBe(undefined);
  excuse(2);
  expect(history.finding).toEqual({
    pattern: 'excuses',
    action: 'warn',
    eventIds: history.events.map(({ id }) => id),
    message: 'Three excuses in a row. Find the cause instead. If it goes on, the run is stopped.',
  });
  history.warn();
  expect(history.verdict).toBe(undefined);
  excuse(3);
  expect(history.verdict).toBe('stop excuses');
});

test('patterns of one own leave the built-in ones in place', () => {
  const history = new History(createStuckDetector({ extraPatterns: [excuses] }));
  times(4, () => history.call('ls'));
  expect(history.verdict).toBe('warn repeat');
});
