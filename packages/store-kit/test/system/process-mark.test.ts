import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { lifeOfMark, processMark } from '../../src/system/index.ts';

test('the mark of this process fits into the name of a folder, and is of a process that lives', () => {
  expect(processMark()).toMatch(/^[\w-]+$/);
  expect(lifeOfMark(processMark())).toBe('alive');
});

test('a process that has ended is known by its mark', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  const [place] = processMark().split('-');
  expect(lifeOfMark(`${place}-${child.pid}-1`)).toBe('dead');
});

test.each(['00000000-1-1', '00000000-99999999-', '99999999-left', '99999999', ''])(
  'nothing is known of the process of another machine or container, or of no process: %j',
  (mark) => {
    expect(lifeOfMark(mark)).toBe('unknown');
  },
);
