import { expect, test } from 'vitest';

import { Modes } from '../src/modes.ts';

/** The modes of claude-agent-acp. */
const OF_CLAUDE = ['auto', 'default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

function modesOf(currentModeId: string, ids = OF_CLAUDE, left?: string): Modes {
  return new Modes({ currentModeId, availableModes: ids.map((id) => ({ id, name: id })) }, left);
}

test.each([
  ['auto', 'default'],
  ['acceptEdits', 'default'],
  ['bypassPermissions', 'default'],
  ['default', undefined],
  ['plan', undefined],
  ['dontAsk', undefined],
])('P10: a program in its mode %s is asked for %s where the policy asks', (own, wanted) => {
  expect(modesOf(own).wanted(true)).toBe(wanted);
  expect(modesOf(own).wanted(false)).toBeUndefined();
});

test('a program that was asked to ask has its own mode again where the policy does not ask', () => {
  const modes = modesOf('full-access', ['read-only', 'auto', 'full-access']);
  expect(modes.wanted(true)).toBe('read-only');
  modes.is('read-only');
  modes.changed('read-only', 'full-access');
  expect([modes.wanted(true), modes.wanted(false), modes.left]).toEqual([undefined, 'full-access', 'full-access']);
  modes.changed('full-access', undefined);
  expect([modes.wanted(false), modes.left]).toEqual([undefined, undefined]);
});

test('P10: a resumed session goes back to a noted mode only from the one in which it was asked to ask', () => {
  expect(modesOf('default', OF_CLAUDE, 'auto').wanted(false)).toBe('auto');
  for (const [current, left] of [
    ['default', undefined],
    ['default', 'default'],
    ['default', 'unknown'],
    ['acceptEdits', 'bypassPermissions'],
    ['plan', 'bypassPermissions'],
  ] as const)
    expect([current, modesOf(current, OF_CLAUDE, left).left]).toEqual([current, undefined]);
});

test('a program that changes to a mode that refuses, or has none that asks, is left alone', () => {
  const modes = modesOf('auto');
  modes.is('dontAsk');
  expect([modes.wanted(true), modes.wanted(false)]).toEqual([undefined, undefined]);
  expect(modesOf('build', ['build', 'plan']).wanted(true)).toBeUndefined();
});
