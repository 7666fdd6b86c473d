import { STUCK_SENDER } from '@conv/core';
import { drafts, agentMessage } from '@conv/core/events';
import { expect, test } from 'vitest';
import { createStuckDetector, isStuck, type StuckDetectorOptions } from '../src/index.ts';
import { errorAround, History, times } from './history.ts';

/** A model that was warned of `ls`. */
function warned(options: StuckDetectorOptions = {}): History<unknown> {
  const history = new History(createStuckDetector(options));
  history.ask();
  times(4, () => history.call('ls'));
  history.warn();
  return history;
}

test('a warning says what repeats, how often, and what to do; a stop says why the run ended', () => {
  const history = new History(createStuckDetector());
  times(4, () => history.call('ls'));
  expect(history.finding).toEqual({
    pattern: 'repeat',
    action: 'warn',
    eventIds: history.events.map(({ id }) => id),
    message:
      'The same call of `terminal` has been made 4 times in a row, with the same result each time. ' +
      'Making it again will not change the result. Look at what it says and do something else: ' +
      'other arguments, another tool, or say what stands in the way. If it goes on, the run is stopped.',
  });
  history.warn();
  history.call('ls');
  expect(history.finding?.message).toBe(
    'The same call of `terminal` has been made 5 times in a row, with the same result each time. ' +
      'The agent was warned and went on, so the run was stopped.',
  );
});

test('a model that does five other things is warned again', () => {
  const history = warned();
  times(5, (index) => history.call(`cat ${index}`));
  times(4, () => history.call('ls'));
  expect(history.verdict).toBe('warn repeat');
});

test('a model that does four other things and falls back is stopped', () => {
  const history = warned();
  times(4, (index) => history.call(`cat ${index}`));
  times(3, () => history.call('ls'));
  expect(history.verdict).toBe(undefined);
  history.call('ls');
  expect(history.verdict).toBe('stop repeat');
});

test('a model that repeats something else right after the warning is stopped', () => {
  const history = warned();
  times(3, () => history.call('cat a'));
  expect(history.verdict).toBe(undefined);
  history.call('cat a');
  expect(history.verdict).toBe('stop repeat');
});

test('an option says how long a warning is remembered', () => {
  const [short, long] = [warned({ forgetAfter: 1 }), warned({ forgetAfter: Infinity })];
  for (const history of [short, long]) {
    times(50, (index) => history.call(`cat ${index}`));
    times(4, () => history.call('ls'));
  }
  expect([short.verdict, long.verdict]).toEqual(['warn repeat', 'stop repeat']);
});

test('talking is not doing something else', () => {
  const history = warned({ thresholds: { monologue: Infinity } });
  times(9, () => history.say());
  history.call('ls');
  expect(history.verdict).toBe('stop repeat');
});

test('talking after something else does not make a warning forgotten', () => {
  const history = warned({ thresholds: { monologue: Infinity } });
  history.call('cat a');
  times(9, () => history.say());
  times(4, () => history.call('ls'));
  expect(history.verdict).toBe('stop repeat');
});

test('the second of two patterns that are there at once is a warning after the next step', () => {
  const history = new History(createStuckDetector({ extraPatterns: [always('mine')] }));
  times(4, () => history.call('ls'));
  expect(history.verdict).toBe('warn repeat');
  history.warn();
  expect(history.verdict).toBe(undefined);
  history.call('cat a');
  expect(history.verdict).toBe('warn mine');
});

test('a warning of one pattern does not stop another', () => {
  const history = warned();
  times(3, () => history.call('cat a', errorAround('no')));
  expect(history.verdict).toBe('warn error');
});

test('a stop goes before a warning', () => {
  const history = new History(createStuckDetector({ extraPatterns: [always('first'), always('second')] }));
  history.call('ls');
  history.add(drafts.environmentMessage('enough', { sender: `${STUCK_SENDER}second` }));
  history.call('ls');
  expect(history.verdict).toBe('stop second');
});

test('warnings come from the environment only', () => {
  const history = new History(createStuckDetector());
  times(4, () => history.call('ls'));
  const sender = `${STUCK_SENDER}repeat`;
  history.add(agentMessage({ content: 'x', llm_response_id: 'response-x' }, { sender }));
  expect(history.verdict).toBe('warn repeat');
});

test('a warning of a pattern that the detector does not have changes nothing', () => {
  const history = new History(createStuckDetector());
  times(4, () => history.call('ls'));
  history.add(drafts.environmentMessage('enough', { sender: `${STUCK_SENDER}gone` }));
  expect(history.verdict).toBe('warn repeat');
});

test('a warning that came from other thresholds still makes the next finding a stop', () => {
  const history = new History(createStuckDetector());
  times(2, () => history.call('ls'));
  history.add(drafts.environmentMessage('enough', { sender: `${STUCK_SENDER}repeat` }));
  times(2, () => history.call('ls'));
  expect(history.verdict).toBe('stop repeat');
});

function always(name: string): NonNullable<StuckDetectorOptions['extraPatterns']>[number] {
  return {
    name,
    initial: [],
    apply: (_before, step) => [step],
    find: (steps) => ({ steps: steps as never, description: 'Always.', advice: 'None.' }),
  };
}

test('a warning quotes the error in one line, at most its beginning, and of several the last', () => {
  const history = new History(createStuckDetector());
  times(3, () => history.call('make', errorAround('No rule to make\n  target')));
  expect(history.finding?.message).toContain('failed 3 times in a row with the same error: "No rule to make target".');
  const long = new History(createStuckDetector());
  times(3, () => long.call('make', errorAround(`${'word '.repeat(38)}sk-0123456789-0123456789 end`)));
  expect(long.finding?.message).toContain(`: "${'word '.repeat(38)}…".`);
  const varying = new History(createStuckDetector());
  times(6, (index) => varying.call('make', errorAround(`Trouble ${'abcdef'[index]}`)));
  expect(varying.finding?.message).toContain('with different errors, the last of them: "Trouble f".');
});

test('isStuck is true after a warning that the model ignored, and false for a warning alone', () => {
  const detector = createStuckDetector();
  const history = new History(detector);
  times(4, () => history.call('ls'));
  expect([history.verdict, isStuck(detector, history.events)]).toEqual(['warn repeat', false]);
  history.warn();
  history.call('ls');
  expect([history.verdict, isStuck(detector, history.events)]).toEqual(['stop repeat', true]);
});
