import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fillTable } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { openTool, textOf } from '../open-tool.ts';
import { isConfined, terminal } from './tested-terminal.ts';

test.runIf(process.platform === 'linux' && !isConfined)(
  'a terminal that closes while no file can be opened leaves no program behind',
  async () => {
    const { call, tool } = await openTool(terminal());
    const [shell = '', program = ''] = textOf(await call({ command: 'sleep 1000 & echo "$$ $!"' }))
      .split('\n')
      .at(-1)!
      .split(' ');
    expect(existsSync(`/proc/${program}`)).toBe(true);
    const empty = fillTable();
    onTestFinished(empty);
    await tool.close?.();
    empty();
    await expect.poll(() => [shell, program].map((pid) => existsSync(`/proc/${pid}`))).toEqual([false, false]);
  },
);

test.runIf(process.platform === 'linux' && !isConfined)(
  'a command that is interrupted while no file can be opened ends',
  async () => {
    const { call, session } = await openTool(terminal());
    const controller = new AbortController();
    const running = call({ command: 'echo $$ > pid; sleep 1000; echo survived > survived' }, controller.signal);
    const file = join(session.workingDirectory, 'pid');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/\d\n/);
    const shell = readFileSync(file, 'utf8').trim();
    const empty = fillTable();
    onTestFinished(empty);
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    await expect.poll(() => lives(shell)).toBe(false);
    empty();
    expect(textOf(await call({ command: 'ls' }))).toBe('pid');
  },
);

/** True if a process is alive. It opens no file. */
function lives(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
