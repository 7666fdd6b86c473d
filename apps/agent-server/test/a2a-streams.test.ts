import { getEventListeners } from 'node:events';

import { TaskState } from '@a2a-js/sdk';
import { StreamingAgent } from '@conv/testing-harness';
import { endOfRuns } from '@conv/turns';
import { expect, test } from 'vitest';

import { apiOver, localWith, sends, Shown, taskFor, waitingIn, withRun } from './a2a-api.ts';
import { calls, scripted } from './openai-api.ts';

test('P11: a client that was cut off in an answer comes back, and misses nothing', async () => {
  const followed = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async ({ say }) => {
    await followed.promise;
    say('Ri');
    await gate.promise;
    say('ght.');
    return 'Right.';
  });
  const { client } = await apiOver(localWith(agent));
  const cut = new Shown();
  for await (const response of client.sendMessageStream(sends('Go'))) {
    cut.take(response);
    followed.resolve();
    if (cut.answers.length > 0) break;
  }
  expect(cut.answers).toEqual(['Ri']);
  const id = cut.task?.id ?? '';
  const back = new Shown();
  for await (const response of client.resubscribeTask({ tenant: '', id })) {
    back.take(response);
    gate.resolve();
  }
  expect([back.state, back.answers]).toEqual([TaskState.TASK_STATE_COMPLETED, ['Right.']]);
  const over = Array.fromAsync(client.resubscribeTask({ tenant: '', id }));
  await expect(over).rejects.toThrow('expected a task at work');
});

test('a subscription stays while a call waits, and shows what another client decides', async () => {
  const { client } = await apiOver(localWith(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
  const asked = await taskFor(client, 'Go');
  const shown = new Shown();
  const decided: Promise<unknown>[] = [];
  for await (const response of client.resubscribeTask({ tenant: '', id: asked.id })) {
    shown.take(response);
    if (shown.count > 1 || decided.length > 0) continue;
    const parts = [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }];
    decided.push(taskFor(client, parts, { taskId: asked.id }));
  }
  await Promise.all(decided);
  expect([shown.state, shown.answers, shown.messages.size]).toEqual([TaskState.TASK_STATE_COMPLETED, ['Done.'], 1]);
});

test('P11: a subscription ends with its task, also if the run ends after its last change', async () => {
  const [failed, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const make = localWith(scripted({ error: 'the key is wrong' }));
  const { client } = await apiOver(async (wanted) => {
    const conversation = await make(wanted);
    return withRun(conversation, async (begin) => {
      try {
        return await begin();
      } finally {
        failed.resolve();
        await told.promise;
      }
    });
  });
  const { id } = await taskFor(client, 'Go', {}, { returnImmediately: true });
  await failed.promise;
  const shown = new Shown();
  for await (const response of client.resubscribeTask({ tenant: '', id })) {
    shown.take(response);
    told.resolve();
  }
  expect([shown.count, shown.state]).toEqual([2, TaskState.TASK_STATE_FAILED]);
});

test('a subscription waits once for the end of a run, however much it was told of it', async () => {
  const followed = Promise.withResolvers<void>();
  const heard = ['a', 'b', 'c'].map((text) => ({ text, ...Promise.withResolvers<void>() }));
  const agent = new StreamingAgent(async ({ say }) => {
    await followed.promise;
    for (const { text, promise } of heard) {
      say(text);
      await promise;
    }
    return 'abc';
  });
  const { client, conversations } = await apiOver(localWith(agent));
  const { id } = await taskFor(client, 'Go', {}, { returnImmediately: true });
  let told = 0;
  for await (const { payload } of client.resubscribeTask({ tenant: '', id })) {
    followed.resolve();
    if (payload?.$case !== 'artifactUpdate' || payload.value.lastChunk) continue;
    await expect.poll(() => getEventListeners(endOfRuns(conversations[0] ?? {}), 'abort')).toHaveLength(1);
    heard[told++]?.resolve();
  }
  expect(told).toBe(heard.length);
});

test('a stream begins with as much of the history as was asked for', async () => {
  const { client } = await apiOver(localWith(scripted({ text: 'One.' })));
  const shown = new Shown();
  for await (const response of client.sendMessageStream(sends('Go', {}, { historyLength: 0 }))) shown.take(response);
  expect([shown.task?.history, shown.answers]).toEqual([[], ['One.']]);
  const wrong = client.sendMessageStream(sends('Go', {}, { historyLength: -1 })).next();
  await expect(wrong).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
});

test('void pieces of an answer are replaced', async () => {
  const agent = new StreamingAgent(({ say }) => {
    say('Wrong');
    say('Ri', { attempt: 2 });
    say('ght', { attempt: 2 });
    return 'Right.';
  });
  const { client } = await apiOver(localWith(agent));
  const shown = new Shown();
  for await (const response of client.sendMessageStream(sends('Go'))) shown.take(response);
  expect([shown.answers, shown.ended.size]).toEqual([['Right.'], 1]);
});
