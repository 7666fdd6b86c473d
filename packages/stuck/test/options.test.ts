import { expect, test } from 'vitest';
import { createStuckDetector, isStuckError, type StuckDetectorOptions, StuckError } from '../src/index.ts';
import { errorAround, History, times } from './history.ts';

const pattern = { name: 'mine', initial: 0, apply: () => 0, find: () => undefined };

const refused: readonly (readonly [string, unknown])[] = [
  ['createStuckDetector', null],
  ['createStuckDetector', [1]],
  ['createStuckDetector', { treshold: 4 }],
  ['createStuckDetector: thresholds', { thresholds: 4 }],
  ['createStuckDetector: thresholds', { thresholds: { action_observation: 4 } }],
  ['thresholds.actionError', { thresholds: { actionError: 0 } }],
  ['thresholds.monologue', { thresholds: { monologue: 2.5 } }],
  ['thresholds.monologue', { thresholds: { monologue: '3' } }],
  ['thresholds.cycle', { thresholds: { cycle: 1 } }],
  ['thresholds.contextWindow', { thresholds: { contextWindow: Number.NaN } }],
  ['maxCycleLength', { maxCycleLength: 2 }],
  ['maxCycleLength', { maxCycleLength: 51 }],
  ['forgetAfter', { forgetAfter: 0 }],
  ['allowances', { allowances: [] }],
  ['allowances.terminal', { allowances: { terminal: -1 } }],
  ['allowances.terminal', { allowances: { terminal: 'often' } }],
  ['extraPatterns', { extraPatterns: pattern }],
  ['extraPatterns[1]', { extraPatterns: [pattern, undefined] }],
  ['extraPatterns[0].name', { extraPatterns: [{ ...pattern, name: '' }] }],
  ['extraPatterns[0]', { extraPatterns: [{ name: 'mine' }] }],
  ['extraPatterns', { extraPatterns: [pattern, pattern] }],
  ['extraPatterns', { extraPatterns: [{ ...pattern, name: 'repeat' }] }],
];

test.for(refused)('P13: %s is refused by name: %j', ([name, options]) => {
  let error: unknown;
  try {
    createStuckDetector(options as StuckDetectorOptions);
  } catch (caught) {
    error = caught;
  }
  expect(isStuckError(error, 'INVALID_OPTION')).toBe(true);
  expect(error).toBeInstanceOf(StuckError);
  expect(String(error)).toContain(`[INVALID_OPTION] ${name}: `);
});

test('an error of another kind is not a StuckError', () => {
  expect(isStuckError(new Error('x'))).toBe(false);
  expect(isStuckError('x')).toBe(false);
});

test('Infinity leaves a pattern out', () => {
  const never = { actionObservation: Infinity, actionError: Infinity, monologue: Infinity };
  const thresholds = { ...never, alternatingPattern: Infinity, cycle: Infinity, contextWindow: Infinity };
  const history = new History(createStuckDetector({ thresholds }));
  times(50, () => history.call('ls'));
  times(50, () => history.call('ls', errorAround('no')));
  times(50, (index) => history.call(`cat ${index % 2}`));
  times(50, (index) => history.call(`cat ${index % 5}`));
  times(50, () => history.say());
  times(50, () => history.condense());
  expect(history.verdict).toBe(undefined);
});

test('a threshold of one is found at the first', () => {
  const history = new History(createStuckDetector({ thresholds: { actionObservation: 1, actionError: 1 } }));
  expect(history.verdict).toBe(undefined);
  history.call('ls');
  expect(history.verdict).toBe('warn repeat');
  history.ask();
  history.call('ls', errorAround('no'));
  expect(history.verdict).toBe('warn error');
});

test('thresholds that are undefined are the default', () => {
  const thresholds = { actionObservation: undefined } as unknown as NonNullable<StuckDetectorOptions['thresholds']>;
  const history = new History(createStuckDetector({ thresholds }));
  times(4, () => history.call('ls'));
  expect(history.verdict).toBe('warn repeat');
});
