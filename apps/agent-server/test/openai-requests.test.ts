import { ConversationError, type Conversation } from '@conv/core';
import type OpenAI from 'openai';
import { expect, test } from 'vitest';

import { apiOver, calls, localWith, scripted, weather } from './openai-api.ts';

test('a response is in progress before its run begins, and failed if the run is refused', async () => {
  const allowed = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<unknown>();
  const make = localWith(scripted());
  const refused = async (): Promise<never> => {
    await allowed.promise;
    throw new ConversationError('DENIED', 'the limit of today is reached');
  };
  const { client } = apiOver(async (wanted) => Object.defineProperty(await make(wanted), 'run', { value: refused }), {
    onError: failed.resolve,
  });
  const { id } = await client.responses.create({ model: 'm', input: 'Go', background: true });
  expect((await client.responses.retrieve(id)).status).toBe('in_progress');
  allowed.resolve();
  await failed.promise;
  const later = await client.responses.retrieve(id);
  const response = await client.responses.create({ model: 'm', input: 'Go' });
  for (const { status, error } of [later, response])
    expect([status, error?.message]).toEqual(['failed', expect.stringContaining('limit of today')]);
  const events = await Array.fromAsync(await client.responses.create({ model: 'm', input: 'Go', stream: true }));
  expect(events.at(-1)?.type).toBe('response.failed');
  const messages = [{ role: 'user' as const, content: 'Go' }];
  await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toThrow('limit of today');
});

test('a refused request is not repeated, and a request with nothing new begins no conversation', async () => {
  let asked = 0;
  const refusing = apiOver(async () => {
    asked += 1;
    throw new ConversationError('OWNED', 'another process has it');
  });
  const patient = refusing.client.withOptions({ maxRetries: 1 });
  await expect(patient.responses.create({ model: 'm', input: 'Go' })).rejects.toMatchObject({ status: 409 });
  expect(asked).toBe(1);
  const { client, conversations } = apiOver(localWith(scripted()));
  await expect(client.responses.create({ model: 'm', input: [] })).rejects.toMatchObject({ status: 400 });
  await expect(client.chat.completions.create({ model: 'm', messages: [] })).rejects.toMatchObject({
    status: 400,
    param: 'messages',
  });
  expect(conversations).toHaveLength(0);
});

test('a request that a new conversation could not take begins none', async () => {
  const { client, conversations } = apiOver(localWith(scripted({ text: 'One.' })));
  const content = 'x'.repeat(2 ** 20);
  await expect(client.responses.create({ model: 'm', input: content })).rejects.toMatchObject({ status: 413 });
  const messages = [{ role: 'user' as const, content }];
  await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({ status: 413 });
  const input = [{ type: 'function_call_output' as const, call_id: 'lost', output: 'sun' }];
  await expect(client.responses.create({ model: 'm', input })).rejects.toMatchObject({
    status: 400,
    param: 'previous_response_id',
  });
  expect(conversations).toHaveLength(0);
  const fits = await client.responses.create({ model: 'm', input: content.slice(1000) });
  expect(fits.output_text).toBe('One.');
});

test('a repeated request behind a response gets its answer, also if its run never began', async () => {
  const { client, conversations } = apiOver(localWith(scripted({ text: 'One.' }, { text: 'Two.' })));
  const first = await client.responses.create({ model: 'm', input: 'Go' });
  const key = crypto.randomUUID();
  await conversations[0]?.sendMessage('Again', { id: key });
  const again = async (): Promise<OpenAI.Responses.Response> =>
    client.responses.create(
      { model: 'm', input: 'Again', previous_response_id: first.id },
      { headers: { 'Idempotency-Key': key } },
    );
  const second = await again();
  expect(second.output_text).toBe('Two.');
  // the tokens are those of the request that began the run
  expect(await again()).toEqual({ ...second, usage: null });
});

test('a message is refused while a call waits for its output', async () => {
  const { client } = apiOver(localWith(scripted(calls('weather', 'Rome'), { text: 'Sunny.' })));
  const asked = await client.responses.create({ model: 'm', input: 'Go', tools: [weather] });
  const said = { role: 'user' as const, content: 'Well?' };
  const send = (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> =>
    client.responses.create({ model: 'm', input, previous_response_id: asked.id });
  await expect(send([said])).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('expected the output of call'),
  });
  const call_id = Object(asked.output[0]).call_id as string;
  const response = await send([{ type: 'function_call_output', call_id, output: 'sun' }, said]);
  expect(response.output_text).toBe('Sunny.');
});

test('a chat that goes on behind the output of a call does not tell its answers again', async () => {
  const { client, conversations } = apiOver(
    localWith(scripted(calls('weather', 'Rome'), { text: 'Sunny.' }, { text: 'Yes.' })),
  );
  const { strict: _, type, ...described } = weather;
  const tools = [{ type, function: described }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go' }];
  const ask = async (): Promise<OpenAI.ChatCompletionMessage | undefined> => {
    const { choices } = await client.chat.completions.create({ model: 'm', messages, tools });
    messages.push(choices[0]?.message as never);
    return choices[0]?.message;
  };
  const call = (await ask())?.tool_calls?.[0];
  messages.push({ role: 'tool', tool_call_id: call?.id ?? '', content: 'sun' });
  expect((await ask())?.content).toBe('Sunny.');
  messages.push({ role: 'user', content: 'Sure?' });
  expect((await ask())?.content).toBe('Yes.');
  expect(JSON.stringify(await conversations[0]?.events.slice())).not.toContain('Earlier');
});

test('a client that leaves a stream unread leaves no subscription', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const make = localWith(scripted(calls('echo', 'hi'), { text: 'Done.' }));
  const { client } = apiOver(async (wanted) => {
    const conversation = await make(wanted);
    const subscribe = conversation.subscribe.bind(conversation);
    const value: Conversation['subscribe'] = (subscriber, options) => {
      signals.push(options?.signal);
      return subscribe(subscriber, options);
    };
    return Object.defineProperty(conversation, 'subscribe', { value });
  });
  const { id } = await client.responses.create({ model: 'm', input: 'Go' });
  const before = signals.length;
  const response = await client.responses.retrieve(id, { stream: true }).asResponse();
  const reader = response.body?.getReader();
  // the first two events come before the log is followed
  for (let read = 0; read < 3; read++) await reader?.read();
  await reader?.cancel();
  expect(signals.slice(before).map((signal) => signal?.aborted)).toEqual([true]);
});
