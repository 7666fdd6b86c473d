import { TaskState, type Task } from '@a2a-js/sdk';
import { createConversationFactory } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { local } from '@conv/local';
import { askUser } from '@conv/openhands/client-tools';
import { expect, test } from 'vitest';

import { answersOf, apiOver, sends, taskFor, type Make } from './a2a-api.ts';
import { scripted } from './openai-api.ts';

/** Makes local conversations whose agent asks the user. */
function asking(): Make {
  const store = new MemoryStore();
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  const asks = { calls: [{ name: 'ask_user', arguments: { question: 'Which one?' } }] };
  const agent = scripted(asks, { text: 'The red one it is.' });
  return () => factory.create({ agent, workspace: '.', clientTools: [askUser] });
}

test('text with the id of a task answers its question to the user, once', async () => {
  const { client, conversations } = await apiOver(asking());
  const asked = await taskFor(client, 'Paint it');
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const answer = sends('The red one', { taskId: asked.id });
  const answered = [(await client.sendMessage(answer)) as Task, (await client.sendMessage(answer)) as Task];
  for (const task of answered)
    expect([task.id, task.status?.state, answersOf(task)]).toEqual([
      asked.id,
      TaskState.TASK_STATE_COMPLETED,
      ['The red one it is.'],
    ]);
  const events = (await conversations[0]?.events.slice()) ?? [];
  expect(events.filter(({ kind, source }) => kind === 'MessageEvent' && source === 'user')).toHaveLength(1);
  expect(JSON.stringify(events.find(({ kind }) => kind === 'ObservationEvent'))).toContain('The red one');
});

test('other words with the id of a task are refused', async () => {
  const { client } = await apiOver(asking());
  const asked = await taskFor(client, 'Paint it');
  await taskFor(client, 'The red one', { taskId: asked.id });
  await expect(client.sendMessage(sends('And blue', { taskId: asked.id }))).rejects.toThrow('begins a task');
});
