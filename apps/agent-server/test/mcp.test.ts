import { StreamingAgent } from '@conv/testing-harness';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { calls } from './chat-api.ts';
import { about, converse, said, serve, taskOf, VERSIONS, type Decision } from './mcp-api.ts';

test.each(VERSIONS)('P11: a conversation is a tool of clients of MCP (%s), and goes on', async (version) => {
  const { connect, conversations } = await serve([{ text: 'One.' }, { text: 'Two.' }]);
  const client = await connect(version);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['converse', 'read_answer', 'stop_answer']);
  const first = await converse(client, 'Go');
  expect(said(first)).toEqual([false, 'done', 'One.']);
  const { conversation } = first.structuredContent as { conversation: string };
  expect(said(await converse(client, 'On', { conversation }))).toEqual([false, 'done', 'Two.']);
  expect(conversations.map(({ id }) => id)).toEqual([conversation]);
});

test('P10: a call that waits is asked about, and runs only if the person approves', async () => {
  const { connect, executed } = await serve([calls('one'), calls('two'), { text: 'Done.' }]);
  const asked: string[] = [];
  const client = await connect('auto', (message) => {
    asked.push(message);
    return message.includes('one') ? { action: 'accept', content: { approved: true } } : { action: 'decline' };
  });
  expect(said(await converse(client, 'Go'))).toEqual([false, 'done', 'Done.']);
  expect(asked).toEqual([expect.stringContaining('one'), expect.stringContaining('two')]);
  expect(executed).toEqual(['one']);
});

test('P3: other arguments of a person are checked, and run in the place of the call', async () => {
  const { connect, conversations, executed } = await serve([calls('one'), { text: 'Done.' }]);
  const wrong = ['{"words":', '["two"]', '{"words":2}'];
  const given = [...wrong, '{"words":"two"}'];
  const decide = (): Decision => ({
    action: 'accept',
    content: { approved: true, arguments: String(given.shift()) },
  });
  const client = await connect('auto', decide);
  const again = { id: crypto.randomUUID() };
  for (const _ of wrong) {
    const refused = await converse(client, 'Go', again);
    expect(said(refused)).toEqual([true, undefined, expect.stringContaining('[INVALID_INPUT]')]);
    expect([executed, conversations[0]?.state.pendingActions.length]).toEqual([[], 1]);
  }
  expect(said(await converse(client, 'Go', again))).toEqual([false, 'done', 'Done.']);
  expect(executed).toEqual(['two']);
});

test.each<readonly [string, ((message: string) => Decision) | undefined]>([
  ['leaves the question', () => ({ action: 'cancel' })],
  ['cannot be asked', undefined],
])('P10: a call waits on when the client %s, and another client decides', async (_, decide) => {
  const { connect, executed } = await serve([calls('one'), { text: 'Done.' }]);
  const waiting = await converse(await connect('auto', decide), 'Go');
  expect(said(waiting)).toEqual([false, 'waiting', 'A call waits for a person.']);
  expect(executed).toEqual([]);
  const other = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  expect(said(await about(other, 'read_answer', taskOf(waiting)))).toEqual([false, 'done', 'Done.']);
  expect(executed).toEqual(['one']);
});

test('P10: a sender without the right approves nothing', async () => {
  const { connect, executed } = await serve([calls('one')], { mayApprove: () => false });
  const client = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  expect(said(await converse(client, 'Go'))).toEqual([true, undefined, expect.stringContaining('[DENIED]')]);
  expect(executed).toEqual([]);
});

test('P11: a client that leaves stops no run, and another one reads the answer by the task of its progress', async () => {
  const [goOn, told] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const { connect } = await serve(
    new StreamingAgent(async () => {
      await goOn.promise;
      return 'Done.';
    }),
  );
  const client = await connect('auto');
  const left = new AbortController();
  const call = client.callTool(
    { name: 'converse', arguments: { message: 'Go' } },
    { signal: left.signal, onprogress: ({ message = '' }) => told.resolve(message) },
  );
  const task = (await told.promise).replace('task ', '');
  left.abort();
  await expect(call).rejects.toThrow(/abort/i);
  const other = await connect('auto');
  const reading = about(other, 'read_answer', task);
  goOn.resolve();
  expect(said(await reading)).toEqual([false, 'done', 'Done.']);
});

test('the run of a task is stopped by its id', async () => {
  const [begun, told] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const { connect } = await serve(
    new StreamingAgent(async ({ context: { signal } }) => {
      begun.resolve();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return '';
    }),
  );
  const client = await connect('auto');
  const call = client.callTool(
    { name: 'converse', arguments: { message: 'Go' } },
    { onprogress: ({ message = '' }) => told.resolve(message) },
  ) as Promise<CallToolResult>;
  await begun.promise;
  const task = (await told.promise).replace('task ', '');
  expect(said(await about(client, 'stop_answer', task))).toEqual([false, 'stopped', 'The run was stopped.']);
  expect(said(await call)).toEqual([false, 'stopped', 'The run was stopped.']);
});

test('P11: a call that was approved and whose run never began goes on when its answer is read', async () => {
  const { connect, conversations, executed } = await serve([calls('one'), { text: 'Done.' }]);
  const client = await connect('auto', () => ({ action: 'cancel' }));
  const waiting = await converse(client, 'Go');
  // as the log is if the process ends between the two
  await conversations[0]?.approve(conversations[0].state.pendingActions.map(({ id }) => id));
  expect(said(await about(client, 'read_answer', taskOf(waiting)))).toEqual([false, 'done', 'Done.']);
  expect(executed).toEqual(['one']);
});

test('a failed run is an error with its code, and without an answer', async () => {
  const { connect } = await serve([calls('one'), { error: 'the key is wrong' }]);
  const client = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  const failed = await converse(client, 'Go');
  const error = expect.stringContaining('the key is wrong');
  expect([failed.isError, failed.content]).toEqual([true, [{ type: 'text', text: error }]]);
  expect(failed.structuredContent).toMatchObject({ status: 'failed', answer: '', error });
});
