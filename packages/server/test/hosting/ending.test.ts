import { expect, test } from 'vitest';

import { Ending } from '../../src/hosting/ending.ts';

test('the end is told once to each who waits, in their order, and by the signal', () => {
  const ending = new Ending();
  const told: string[] = [];
  const tell = (): void => void told.push('first');
  ending.whenOver(tell);
  const leave = ending.whenOver(tell);
  ending.whenOver(() => told.push(`second ${ending.isOver}`));
  leave();
  const { signal } = ending;
  expect([ending.isOver, ending.reason, signal.aborted]).toEqual([false, undefined, false]);
  ending.end('gone');
  ending.end('again');
  expect([told, ending.reason, signal.aborted, signal.reason]).toEqual([
    ['first', 'second true'],
    'gone',
    true,
    'gone',
  ]);
});

test('who comes after the end is told nothing, and gets a signal that is aborted', () => {
  const ending = new Ending();
  const told: string[] = [];
  ending.end('gone');
  ending.whenOver(() => told.push('late'))();
  expect([told, ending.signal.reason, ending.signal === ending.signal]).toEqual([[], 'gone', true]);
});
