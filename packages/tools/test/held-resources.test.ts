import { join } from 'node:path';

import type { Sandbox } from '@conv/core/tool';
import { leaks } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { fileEditor, taskTracker, terminal } from '../src/index.ts';
import { lines } from './mcp/support/processes.ts';
import { openTool, type ToolFixture } from './open-tool.ts';

/** Uses of a terminal, by what becomes of it. Each is given a signal that never aborts. */
const terminals: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'ran commands and was closed': async (signal) => {
    const { tool, call } = await openTool(terminal());
    await call({ command: 'cd /; echo one; false' }, signal);
    await call({ command: 'echo two' }, signal);
    await tool.close?.();
  },
  'was closed before its first command': async () => (await openTool(terminal())).tool.close?.(),
  'was closed under a command that reached its timeout': async (signal) => {
    const { tool, call } = await openTool(terminal());
    await call({ command: 'sleep 1000', timeout: 0.05 }, signal);
    await tool.close?.();
  },
  'was reset under a command, and its shell killed itself': async (signal) => {
    const { tool, call } = await openTool(terminal());
    await call({ command: 'sleep 1000', timeout: 0.05 }, signal);
    await call({ command: 'kill -9 $$', reset: true }, signal).catch(() => undefined);
    await call({ command: 'echo again' }, signal);
    await tool.close?.();
  },
  'was interrupted': async () => {
    const { tool, call, session } = await openTool(terminal());
    const started = join(session.workingDirectory, 'started');
    const interrupt = new AbortController();
    const running = call({ command: `echo here > ${started}; sleep 1000` }, interrupt.signal);
    await lines(started);
    interrupt.abort(new Error('stop'));
    await Promise.allSettled([running]);
    await tool.close?.();
  },
  'has no shell': async (signal) => {
    const { tool, call } = await openTool(terminal({ shell: '/not/there' }));
    await Promise.allSettled([call({ command: 'true' }, signal)]);
    await tool.close?.();
  },
};

test.each(Object.entries(terminals))('nothing is held of a terminal that %s', async (_, use) => {
  expect(await leaks(use)).toEqual({});
});

/** A sandbox that confines nothing. The editor finds its files as in any other. */
const open: Sandbox = {
  name: 'open',
  open: async () => ({ rules: '', confine: (start) => start, place: (path) => path, close: async () => {} }),
};

test.each([
  ['', {}],
  ['in a sandbox ', { sandbox: open }],
])('nothing %sis held of edits that were done, of edits that were refused, and of a task list', async (_, options) => {
  expect(
    await leaks(async (signal) => {
      const editor = await openTool(fileEditor(options));
      for (const input of edits(editor)) await Promise.allSettled([editor.call(input, signal)]);
      await editor.tool.close?.();
      const tracker = await openTool(taskTracker());
      const task_list = [{ title: 'Look', status: 'todo' }];
      await tracker.call({ command: 'plan', task_list }, signal);
      await tracker.call({ command: 'view' }, signal);
      await tracker.tool.close?.();
    }),
  ).toEqual({});
});

function edits({ session: { workingDirectory } }: ToolFixture): readonly Record<string, unknown>[] {
  const path = join(workingDirectory, 'a.txt');
  return [
    { command: 'create', path, file_text: 'one\ntwo\n' },
    { command: 'create', path, file_text: 'again' },
    { command: 'str_replace', path, old_str: 'one', new_str: 'three' },
    { command: 'str_replace', path, old_str: 'not there', new_str: 'three' },
    { command: 'insert', path, insert_line: 1, new_str: 'between' },
    { command: 'view', path },
    { command: 'view', path: workingDirectory },
    { command: 'view', path: join(workingDirectory, 'nowhere') },
    { command: 'view', path: '/dev/null' },
    { command: 'undo_edit', path },
  ];
}
