import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { taskTracker } from '../src/index.ts';
import { fakeSecrets } from './support/fake-secrets.ts';
import { openTool, temporaryFolder, textOf } from './open-tool.ts';

const tasks = [
  { title: 'read the code', notes: 'start with main', status: 'done' },
  { title: 'fix the bug', notes: '', status: 'in_progress' },
  { title: 'write a test', notes: '', status: 'todo' },
];

test('a plan replaces the list, and a view shows it', async () => {
  const { call } = await openTool(taskTracker());
  const planned = await call({ command: 'plan', task_list: tasks });
  expect(planned.fields).toEqual({ command: 'plan', task_list: tasks });
  expect(textOf(planned)).toBe('The list now has 3 tasks.');
  const viewed = await call({ command: 'view' });
  expect(viewed.fields).toEqual({ command: 'view', task_list: tasks });
  expect(textOf(viewed)).toContain('1. [x] read the code\n   start with main\n2. [>] fix the bug\n3. [ ] write a test');
  await call({ command: 'plan', task_list: [{ title: 'only one' }] });
  expect((await call({})).fields?.['task_list']).toEqual([{ title: 'only one', notes: '', status: 'todo' }]);
});

test('P4: the list returns when the conversation is opened again', async () => {
  const folder = temporaryFolder();
  await (await openTool(taskTracker(), folder)).call({ command: 'plan', task_list: tasks });
  const { call, session } = await openTool(taskTracker(), folder);
  expect((await call({ command: 'view' })).fields?.['task_list']).toEqual(tasks);
  expect(JSON.parse(readFileSync(join(session.sideDirectory, '..', 'TASKS.json'), 'utf8'))).toEqual(tasks);
});

test('P6: the list of a conversation comes from its events', async () => {
  const first = await openTool(taskTracker());
  await first.call({ command: 'plan', task_list: tasks });
  const [other] = tasks;
  const session = {
    ...first.session,
    taskList: () => [{ title: 'of this branch', notes: '', status: 'todo' as const }],
  };
  const tool = await taskTracker().create(session);
  const context = { ...session, toolCallId: 'x', signal: new AbortController().signal };
  const viewed = await tool.execute(tool.parse({}), context);
  expect(viewed.fields?.['task_list']).toEqual(session.taskList());
  expect(textOf(viewed)).toContain('[ ] of this branch');
  expect(textOf(viewed)).not.toContain(other?.title);
});

test.each(['{"torn', '"text"', '[{"notes":1}]'])('a file that holds %s counts as no list', async (content) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'conversation'));
  writeFileSync(join(folder, 'conversation', 'TASKS.json'), content);
  const { call } = await openTool(taskTracker(), folder);
  const viewed = await call({ command: 'view' });
  expect(viewed.fields?.['task_list']).toEqual([]);
  expect(textOf(viewed)).toContain('empty');
});

test('the list lasts as long as the tool without a side folder', async () => {
  const session = { conversationId: 'c', workingDirectory: '/' };
  const tool = await taskTracker().create(session);
  const context = { ...session, toolCallId: 'x', signal: new AbortController().signal };
  await tool.execute(tool.parse({ command: 'plan', task_list: tasks }), context);
  expect((await tool.execute(tool.parse({}), context)).fields?.['task_list']).toEqual(tasks);
});

test('P9: the file beside the log holds no value of a secret, also of several lines', async () => {
  const secrets = fakeSecrets({ TOKEN: 'tok-1f9c7be2', KEY: 'first line\n"second" line' });
  const { call, session } = await openTool(taskTracker(), temporaryFolder(), { secrets });
  const notes = 'use tok-1f9c7be2 and first line\n"second" line';
  await call({ command: 'plan', task_list: [{ title: 'try tok-1f9c7be2', notes }] });
  expect(JSON.parse(readFileSync(join(session.sideDirectory, '..', 'TASKS.json'), 'utf8'))).toEqual([
    { title: 'try <secret-hidden>', notes: 'use <secret-hidden> and <secret-hidden>', status: 'todo' },
  ]);
});

test('several tasks in progress are a warning, not an error', async () => {
  const { call } = await openTool(taskTracker());
  const busy = tasks.map((task) => ({ ...task, status: 'in_progress' }));
  const result = await call({ command: 'plan', task_list: busy });
  expect(result.isError).toBeFalsy();
  expect(textOf(result)).toContain('3 tasks are in progress');
  expect(result.fields?.['task_list']).toEqual(busy);
});

test.each([
  [{ command: 'plan', task_list: [{ notes: 'x' }] }, 'task_list.0.title: is required'],
  [{ command: 'plan', task_list: [{ title: 'x', status: 'doing' }] }, 'task_list.0.status: must be one of'],
  [{ command: 'remove' }, 'command: must be one of "view", "plan"'],
])('P13: %j is refused by name', async (input, said) => {
  const { tool } = await openTool(taskTracker());
  expect(() => tool.parse(input)).toThrow(said);
});

test('the kinds on the wire are the task tracker’s', async () => {
  const { tool, call } = await openTool(taskTracker());
  const input = tool.parse({ command: 'plan', task_list: tasks });
  const action = tool.wire.toAction(input);
  expect(action).toEqual({ command: 'plan', task_list: tasks, kind: 'TaskTrackerAction' });
  const observation = tool.wire.toObservation(await call({ command: 'plan', task_list: tasks }), action);
  expect(Object.keys(observation)).toEqual(['content', 'is_error', 'command', 'task_list', 'kind']);
  expect(tool.wire.definition['annotations']).toMatchObject({ destructiveHint: false, idempotentHint: true });
});
