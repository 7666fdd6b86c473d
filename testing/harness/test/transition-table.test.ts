import { expect, test } from 'vitest';

import { readTransitionTable } from '../src/index.ts';

const HEAD = `
/*
 *   event │ off           │ on
 *   ──────┼───────────────┼───────
 *   press │ on, lamp, log │ off
 *   burn  │ ×             │ –, log
 */
const OFF = { state: 'off' };
`;

test('readTransitionTable returns every pair of the table with its next state and effects', () => {
  expect(readTransitionTable(HEAD)).toEqual([
    { state: 'off', event: 'press', next: 'on', effects: ['lamp', 'log'] },
    { state: 'on', event: 'press', next: 'off', effects: [] },
    { state: 'off', event: 'burn', next: undefined, effects: [] },
    { state: 'on', event: 'burn', next: 'on', effects: ['log'] },
  ]);
});

test.for([
  ['a source without a table', 'const off = 1;'],
  ['a row that lacks a cell', HEAD.replace('│ –, log', '')],
] as const)('readTransitionTable throws TypeError for %s', ([, source]) => {
  expect(() => readTransitionTable(source)).toThrow(TypeError);
});
