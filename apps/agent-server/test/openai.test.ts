import type { Agent } from '@conv/core';
import type { ConversationRequest } from '@conv/openai';
import { openRemoteConversation } from '@conv/remote';
import { StreamingAgent } from '@conv/testing-harness';
import { APIError, type OpenAI } from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import {
  apiOver,
  calls,
  clientTools,
  confirmationPolicy,
  localWith,
  scripted,
  weather,
  type Api,
  type Make,
} from './openai-api.ts';
import { ServerUnderTest } from './server-under-test.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/** Makes conversations on a server. */
function remoteWith(agent: Agent, asks = false): Make {
  return async (wanted) => {
    const server = await ServerUnderTest.start(agent);
    onTestFinished(() => server.dispose());
    const { workspace } = server;
    const tools = clientTools(wanted);
    return openRemoteConversation(
      {},
      { workspace, agent: agent.describe(), clientTools: tools, ...(asks ? { confirmationPolicy } : {}) },
    );
  };
}

describe.each<readonly [string, typeof localWith]>([
  ['local', localWith],
  ['remote', remoteWith],
])('the published client on a %s conversation', (_, makes) => {
  test('P11: the OpenAI client gets an answer, and continues with the id of the response', async () => {
    const { client, conversations } = apiOver(makes(scripted({ text: 'One.' }, { text: 'Two.' })));
    const first = await client.responses.create({ model: 'm', input: 'Go' });
    expect([first.status, first.output_text]).toEqual(['completed', 'One.']);
    const second = await client.responses.create({ model: 'm', input: 'Again', previous_response_id: first.id });
    expect(second.output_text).toBe('Two.');
    expect((await client.responses.retrieve(first.id)).output_text).toBe('One.');
    expect(conversations).toHaveLength(1);
  });

  test('P10: the OpenAI client approves a call by the id of its request, and gets its result', async () => {
    const { client } = apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
    const asked = await client.responses.create({ model: 'm', input: 'Go' });
    const [request] = asked.output;
    expect(request).toMatchObject({ type: 'mcp_approval_request', name: 'echo', arguments: '{"words":"hi"}' });
    const response = await client.responses.create({
      model: 'm',
      previous_response_id: asked.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: request?.id ?? '', approve: true }],
    });
    expect(response.output).toMatchObject([
      { type: 'mcp_call', output: expect.stringContaining('hi') },
      { type: 'message' },
    ]);
    expect(response.output_text).toBe('Done.');
  });

  test('the OpenAI client executes its own function, and the output comes to the model', async () => {
    const { client } = apiOver(makes(scripted(calls('weather', 'Rome'), { text: 'Sunny.' })));
    const asked = await client.responses.create({ model: 'm', input: 'Go', tools: [weather] });
    const [call] = asked.output;
    expect(call).toMatchObject({ type: 'function_call', name: 'weather', arguments: '{"words":"Rome"}' });
    const response = await client.responses.create({
      model: 'm',
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: Object(call).call_id as string, output: 'sun' }],
    });
    expect([response.status, response.output_text]).toEqual(['completed', 'Sunny.']);
  });

  test('P11: streams an answer, and gets the rest of it behind any event that it has', async () => {
    const { client } = apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Done.' })));
    const events = await Array.fromAsync(await client.responses.create({ model: 'm', input: 'Go', stream: true }));
    const numbers = events.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    const last = events.at(-1);
    const whole = last?.type === 'response.completed' ? last.response : undefined;
    expect(whole?.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    const done = (all: readonly OpenAI.Responses.ResponseStreamEvent[]): readonly string[] =>
      all.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item.id ?? ''] : []));
    expect(done(events)).toEqual(whole?.output.map(({ id }) => id));
    for (const [at, { sequence_number }] of events.entries()) {
      const rest = await Array.fromAsync(
        await client.responses.retrieve(whole?.id ?? '', { stream: true, starting_after: sequence_number }),
      );
      expect(rest.every((event) => event.sequence_number > sequence_number)).toBe(true);
      const ids = [...done(events.slice(0, at + 1)), ...done(rest)];
      expect([at, ids]).toEqual([at, whole?.output.map(({ id }) => id)]);
      expect(rest.at(-1)?.type).toBe('response.completed');
    }
  });

  test('chats, as a stream or not, with its own function', async () => {
    const { client } = apiOver(makes(scripted(calls('weather', 'Rome'), { text: 'Sunny.' })));
    const { strict: __, type, ...described } = weather;
    const tools = [{ type, function: described }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go' }];
    const asked = await client.chat.completions.create({ model: 'm', messages, tools });
    const message = asked.choices[0]?.message;
    expect(asked.choices[0]?.finish_reason).toBe('tool_calls');
    const call = message?.tool_calls?.[0];
    const stream = client.chat.completions.stream({
      model: 'm',
      tools,
      messages: [...messages, message as never, { role: 'tool', tool_call_id: call?.id ?? '', content: 'sun' }],
    });
    expect(await stream.finalContent()).toBe('Sunny.');
  });
});

test('a failed run is a failed response, and an error of a chat', async () => {
  const failing = (): Api => apiOver(localWith(scripted({ error: 'the key is wrong' })));
  const response = await failing().client.responses.create({ model: 'm', input: 'Go' });
  expect([response.status, response.error?.message]).toEqual(['failed', expect.stringContaining('the key is wrong')]);
  const events = await Array.fromAsync(
    await failing().client.responses.create({ model: 'm', input: 'Go', stream: true }),
  );
  expect(events.at(-1)?.type).toBe('response.failed');
  const messages = [{ role: 'user' as const, content: 'Go' }];
  await expect(failing().client.chat.completions.create({ model: 'm', messages })).rejects.toThrow('the key is wrong');
});

test('a response in the background goes on without its client, and cancel stops it', async () => {
  const begun = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async ({ context: { signal } }) => {
    begun.resolve();
    await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return '';
  });
  const { client } = apiOver(localWith(agent));
  const { id, status } = await client.responses.create({ model: 'm', input: 'Go', background: true });
  expect(status).toBe('in_progress');
  await begun.promise;
  expect((await client.responses.retrieve(id)).status).toBe('in_progress');
  expect((await client.responses.cancel(id)).status).toBe('cancelled');
});

test('the pieces of an answer are streamed, and void pieces end as incomplete', async () => {
  const agent = new StreamingAgent(({ say }) => {
    say('Wrong');
    say('Ri', { attempt: 2 });
    say('ght', { attempt: 2 });
    return 'Right.';
  });
  const { client } = apiOver(localWith(agent));
  const stream = client.responses.stream({ model: 'm', input: 'Go' });
  const deltas: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => void deltas.push(delta));
  expect((await stream.finalResponse()).output_text).toBe('Right.');
  expect(deltas.join('')).toMatch(/Right\.$/);
});

test('images and instructions reach the conversation', async () => {
  const asked: ConversationRequest[] = [];
  const make = localWith(scripted({ text: 'A dot.' }, { text: 'A dot.' }));
  const { client, conversations } = apiOver(async (wanted) => (asked.push(wanted), make(wanted)));
  const content = [
    { type: 'input_text' as const, text: 'Look' },
    { type: 'input_image' as const, image_url: PIXEL, detail: 'auto' as const },
  ];
  await client.responses.create({ model: 'm', instructions: 'Be short.', input: [{ role: 'user', content }] });
  await client.chat.completions.create({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be long.' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: PIXEL } }] },
    ],
  });
  expect(asked.map(({ instructions }) => instructions)).toEqual(['Be short.', 'Be long.']);
  for (const { events } of conversations) expect(JSON.stringify(await events.slice())).toContain(PIXEL);
});

test('P10: a caller without the right approves nothing', async () => {
  const { client, conversations } = apiOver(localWith(scripted(calls('echo', 'hi')), true), {
    mayApprove: () => false,
  });
  const asked = await client.responses.create({ model: 'm', input: 'Go' });
  const input = [
    { type: 'mcp_approval_response' as const, approval_request_id: asked.output[0]?.id ?? '', approve: true },
  ];
  const refused = client.responses.create({ model: 'm', previous_response_id: asked.id, input });
  await expect(refused).rejects.toMatchObject({ status: 403, type: 'permission_error' });
  expect(conversations[0]?.state.executionStatus).toBe('waiting_for_confirmation');
});

test('bad requests are refused in the shape of the API, and name what is wrong', async () => {
  const { client } = apiOver(localWith(scripted({ text: 'One.' }, { text: 'Two.' })));
  const first = await client.responses.create({ model: 'm', input: 'Go' });
  await client.responses.create({ model: 'm', input: 'On', previous_response_id: first.id });
  const refusals: readonly (readonly [() => Promise<unknown>, number, string])[] = [
    [
      () => client.responses.create({ model: 'm', input: 'Go', previous_response_id: first.id }),
      400,
      'the newest response',
    ],
    [
      () => client.responses.create({ model: 'm', input: 'Go', previous_response_id: 'x' }),
      400,
      'the id of a response',
    ],
    [() => client.responses.create({ model: 'm', input: [] }), 400, 'found nothing new'],
    [
      () => client.responses.create({ model: 'm', input: 'Go', tools: [{ type: 'web_search' }] }),
      400,
      'expected a function',
    ],
    [() => client.responses.retrieve('resp_x'), 404, 'the id of a response'],
    [() => client.models.retrieve('other'), 404, 'expected responses'],
    [() => client.get('/models/%'), 404, 'expected responses'],
  ];
  for (const [ask, status, message] of refusals) {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, message: expect.stringContaining(message) });
  }
});

test('models are listed', async () => {
  const { client } = apiOver(localWith(scripted()), { models: ['one', 'two'] });
  expect((await Array.fromAsync(client.models.list())).map(({ id }) => id)).toEqual(['one', 'two']);
  expect((await client.models.retrieve('two')).id).toBe('two');
});
