import { TaskState, type ListTasksRequest } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { A2AHandlerOptions } from '@conv/a2a';
import { ConversationError } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { answersOf, apiOver, localWith, remoteWith, taskFor, type Api } from './a2a-api.ts';
import { calls, scripted } from './openai-api.ts';

const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_SUBMITTED, TASK_STATE_UNSPECIFIED } = TaskState;

const ALL: ListTasksRequest = {
  tenant: '',
  contextId: '',
  status: TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
};

/** Resolves with the ids of the tasks on each page, and the number of tasks that the last page tells. */
async function pagesOf(
  client: Client,
  wanted: Partial<ListTasksRequest>,
): Promise<{ readonly pages: readonly (readonly string[])[]; readonly total: number }> {
  const pages: string[][] = [];
  for (let pageToken = ''; ;) {
    const { tasks, nextPageToken, totalSize } = await client.listTasks({ ...ALL, ...wanted, pageToken });
    pages.push(tasks.map(({ id }) => id));
    if (nextPageToken === '') return { pages, total: totalSize };
    pageToken = nextPageToken;
  }
}

/** Begins a context with as many tasks as there are messages. Resolves with their ids, the newest first. */
async function contextWith(client: Client, ...messages: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  let contextId = '';
  for (const message of messages) {
    const task = await taskFor(client, message, { contextId });
    ({ contextId } = task);
    ids.unshift(task.id);
  }
  return ids;
}

const contextOf = (id = ''): string => String(id.split('_')[0]);

describe.each<readonly [string, typeof localWith]>([
  ['local', localWith],
  ['remote', remoteWith],
])('ListTasks of the published client on a %s conversation', (_, makes) => {
  test('P11: ListTasks tells each task of a context once, the newest first, in pages', async () => {
    const { client } = await apiOver(makes(scripted({ text: '1' }, { text: '2' }, { text: '3' })));
    const [third, second, first] = await contextWith(client, 'One', 'Two', 'Three');
    const contextId = contextOf(first);
    expect(await pagesOf(client, { contextId, pageSize: 2 })).toEqual({ pages: [[third, second], [first]], total: 3 });
    expect(await pagesOf(client, { contextId, pageSize: 1 })).toEqual({
      pages: [[third], [second], [first]],
      total: 3,
    });
    expect(await pagesOf(client, { contextId })).toEqual({ pages: [[third, second, first]], total: 3 });
  });

  test('ListTasks tells a task as GetTask does, and its artifacts and history as far as they are asked for', async () => {
    const { client } = await apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Done.' })));
    const [id = ''] = await contextWith(client, 'Go');
    const wanted = { ...ALL, contextId: contextOf(id) };
    const whole = await client.listTasks({ ...wanted, includeArtifacts: true });
    expect([whole.tasks, whole.pageSize]).toEqual([[await client.getTask({ tenant: '', id })], 50]);
    const { tasks } = await client.listTasks({ ...wanted, historyLength: 1 });
    expect(tasks.map((task) => [answersOf(task), task.history.length])).toEqual([[[], 1]]);
  });
});

test('ListTasks has one conversation open at a time, if it can read them', async () => {
  const { client, conversations } = await apiOver(localWith(scripted({ text: '1' }, { text: '2' }, { text: '3' })), {
    list: async () => ({ ids: conversations.map(({ id }) => id) }),
    read: async (wanted) => {
      opened.push(++open);
      const found = conversations.find(({ id }) => id === wanted);
      if (!found) throw new ConversationError('NOT_FOUND', 'not there');
      const { id, events, state } = found;
      return { conversation: { id, events, state }, close: async () => void open-- };
    },
  });
  const opened: number[] = [];
  let open = 0;
  const ids = [];
  for (const text of ['One', 'Two', 'Three']) ids.push(...(await contextWith(client, text)));
  expect(await pagesOf(client, {})).toEqual({ pages: [ids], total: 3 });
  expect([opened, open]).toEqual([[1, 1, 1], 0]);
});

test('ListTasks filters by the state and by the time of the last change', async () => {
  const { client } = await apiOver(localWith(scripted({ text: '1' }, calls('echo', 'hi')), true));
  const [waiting, done = ''] = await contextWith(client, 'One', 'Two');
  const contextId = contextOf(done);
  const idsFor = async (wanted: Partial<ListTasksRequest>): Promise<readonly string[]> =>
    (await client.listTasks({ ...ALL, contextId, ...wanted })).tasks.map(({ id }) => id);
  expect(await idsFor({ status: TASK_STATE_COMPLETED })).toEqual([done]);
  expect(await idsFor({ status: TASK_STATE_INPUT_REQUIRED })).toEqual([waiting]);
  const { status } = await client.getTask({ tenant: '', id: done });
  expect(await idsFor({ statusTimestampAfter: status?.timestamp })).toEqual([waiting, done]);
  expect(await idsFor({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).toEqual([]);
});

test('P11: ListTasks goes on behind a task that waited for its turn and has ended since', async () => {
  const goOn = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async () => {
    await goOn.promise;
    return 'Done.';
  });
  const { client } = await apiOver(localWith(agent));
  const now = { returnImmediately: true };
  const first = await taskFor(client, 'One', {}, now);
  const { contextId } = first;
  const ids = [first.id];
  for (const message of ['Two', 'Three']) ids.unshift((await taskFor(client, message, { contextId }, now)).id);
  const begun = await client.listTasks({ ...ALL, contextId, pageSize: 1 });
  expect(begun.tasks.map(({ id, status }) => [id, status?.state])).toEqual([[ids[0], TASK_STATE_SUBMITTED]]);
  goOn.resolve();
  await expect
    .poll(async () => (await client.getTask({ tenant: '', id: ids[0] ?? '' })).status?.state)
    .toBe(TASK_STATE_COMPLETED);
  const { tasks } = await client.listTasks({ ...ALL, contextId, pageToken: begun.nextPageToken });
  expect(tasks.map(({ id }) => id)).toEqual(ids.slice(1));
});

/** Serves the contexts that are made, in pages of one, the newest first. A context that was deleted is still listed. */
async function listing(): Promise<Api> {
  const made: string[] = [];
  const make = localWith(scripted({ text: '1' }, { text: '2' }, { text: '3' }));
  const list: A2AHandlerOptions['list'] = async (cursor) => {
    const at = Number(cursor ?? 0);
    const id = made[at];
    return { ids: id === undefined ? [] : [id], next: at + 1 < made.length ? String(at + 1) : undefined };
  };
  return apiOver(
    async (wanted) => {
      const conversation = await make(wanted);
      made.unshift(conversation.id, crypto.randomUUID());
      return conversation;
    },
    { list },
  );
}

test('P11: ListTasks without a context tells the tasks of all contexts of the sender, each once', async () => {
  const { client } = await listing();
  const older = await contextWith(client, 'One', 'Two');
  const newer = await contextWith(client, 'Three');
  const all = [...newer, ...older];
  expect(await pagesOf(client, {})).toEqual({ pages: [all], total: 3 });
  expect(await pagesOf(client, { pageSize: 1 })).toEqual({ pages: all.map((id) => [id]), total: 3 });
});

test('ListTasks without a context is refused by name where contexts are not listed', async () => {
  const { client } = await apiOver(localWith(scripted()));
  await expect(client.listTasks(ALL)).rejects.toThrow('expected a context');
});

test.each<readonly [string, Partial<ListTasksRequest>, string]>([
  ['a page of nothing', { pageSize: 0 }, 'pageSize'],
  ['a page of too many', { pageSize: 101 }, 'pageSize'],
  ['a history of less than nothing', { historyLength: -1 }, 'historyLength'],
  ['a time that is none', { statusTimestampAfter: 'soon' }, 'ISO 8601'],
  ['the token of another list', { pageToken: 'elsewhere' }, 'token'],
  ['a token that is no text', { pageToken: '1 [1,2]' }, 'token'],
])('ListTasks refuses %s, and says what was expected', async (_, wrong, text) => {
  const { client } = await listing();
  const [id] = await contextWith(client, 'Go');
  await expect(client.listTasks({ ...ALL, contextId: contextOf(id), ...wrong })).rejects.toThrow(text);
});

test('P10: ListTasks tells of a context of another caller what it tells of none', async () => {
  const denied = new ConversationError('NOT_FOUND', 'there is no conversation in /srv/store');
  const { client } = await apiOver(localWith(scripted()), { conversation: () => Promise.reject(denied) });
  const refused = client.listTasks({ ...ALL, contextId: crypto.randomUUID() });
  await expect(refused).rejects.toThrow('expected the id of a task or of a context of this agent');
});
