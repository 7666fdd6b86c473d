import type { ModelTurn } from '@conv/conformance';
import type { Conversation } from '@conv/core';
import type OpenAI from 'openai';
import { expect, test } from 'vitest';

import { apiOver, calls, localWith, scripted, weather, type Api } from './openai-api.ts';

type Output = OpenAI.Responses.ResponseOutputItem;
type Input = OpenAI.Responses.ResponseInput;

/** A response of the model with two calls. */
const two = (name: string): ModelTurn => ({
  calls: ['Rome', 'Oslo'].map((words) => ({ name, arguments: { words } })),
});

function outputs(output: readonly Output[]): Input {
  return output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'sun' }]
      : [],
  );
}

const approval = (id: string, approve: unknown = true): Input => [
  { type: 'mcp_approval_response', approval_request_id: id, approve: approve as boolean },
];

async function send({ client }: Api, previous: string, input: Input): Promise<OpenAI.Responses.Response> {
  return client.responses.create({ model: 'm', input, previous_response_id: previous });
}

/** Begins a conversation whose calls wait for a person. */
async function asked(script: readonly ModelTurn[]): Promise<{
  readonly api: Api;
  readonly response: OpenAI.Responses.Response;
  readonly conversation: Conversation;
}> {
  const api = apiOver(localWith(scripted(...script), true));
  const response = await api.client.responses.create({ model: 'm', input: 'Go' });
  return { api, response, conversation: api.conversations[0] as Conversation };
}

test('P11: each of several calls of one response comes to its client once', async () => {
  const api = apiOver(localWith(scripted(two('weather'), { text: 'Sunny.' })));
  let response = await api.client.responses.create({ model: 'm', input: 'Go', tools: [weather] });
  const told: string[] = [];
  for (let turn = 0; turn < 4 && outputs(response.output).length > 0; turn++) {
    told.push(...response.output.map((item) => ('arguments' in item ? String(item.arguments) : item.type)));
    response = await send(api, response.id, outputs(response.output));
  }
  expect(told).toEqual(['{"words":"Rome"}', '{"words":"Oslo"}']);
  expect(response.output.map(({ type }) => type)).toEqual(['message']);
});

test('P11: a stream tells the next call of a response, and none that has its output', async () => {
  const api = apiOver(localWith(scripted(two('weather'), { text: 'Sunny.' })));
  const first = await api.client.responses.create({ model: 'm', input: 'Go', tools: [weather] });
  const events = await Array.fromAsync(
    await api.client.responses.create({
      model: 'm',
      input: outputs(first.output),
      previous_response_id: first.id,
      stream: true,
    }),
  );
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
  expect(done).toMatchObject([{ type: 'function_call', arguments: '{"words":"Oslo"}' }]);
  const last = events.at(-1);
  expect(last?.type === 'response.completed' && last.response.output).toEqual(done);
});

test('a chat executes each of several calls once', async () => {
  const { client } = apiOver(localWith(scripted(two('weather'), { text: 'Sunny.' })));
  const executed: string[] = [];
  const runner = client.chat.completions.runTools({
    model: 'm',
    messages: [{ role: 'user', content: 'Go' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'Tells the weather.',
          parameters: weather.parameters,
          parse: (input: string) => JSON.parse(input) as { readonly words: string },
          function: ({ words }: { readonly words: string }) => {
            executed.push(words);
            return 'sun';
          },
        },
      },
    ],
  });
  expect(await runner.finalContent()).toBe('Sunny.');
  expect(executed).toEqual(['Rome', 'Oslo']);
});

test('P10: a call that still waits for a person is told with the answer to the approval of another', async () => {
  const { api, response } = await asked([two('echo'), { text: 'Done.' }]);
  const [one, other] = response.output.map(({ id }) => id ?? '');
  const next = await send(api, response.id, approval(one ?? ''));
  expect(next.output).toMatchObject([{ type: 'mcp_call' }, { type: 'mcp_approval_request', id: other }]);
  const last = await send(api, next.id, approval(other ?? ''));
  expect(last.output_text).toBe('Done.');
});

test('P10: a request that is refused stores none of its decisions', async () => {
  const { api, response, conversation } = await asked([calls('echo', 'hi'), { text: 'Done.' }]);
  const [request] = response.output;
  const id = request?.id ?? '';
  const said = (content: string): Input => [{ role: 'user', content }];
  const refused: readonly (readonly [Input, number, string])[] = [
    [[...approval(id), ...approval('other')], 400, 'a call that waits'],
    [[...approval(id), ...said('Hurry.')], 400, 'without a message'],
    [[...approval(id, false), ...said('x'.repeat(2 ** 20))], 413, 'bytes'],
    [approval(id, 'true'), 400, 'approve as true or false'],
    [[...approval(id), { type: 'function_call_output', call_id: id, output: 'hi' }], 400, 'a call that waits'],
  ];
  const { length } = conversation.events;
  for (const [input, status, message] of refused)
    await expect(send(api, response.id, input)).rejects.toMatchObject({
      status,
      message: expect.stringContaining(message),
    });
  expect([conversation.events.length, conversation.state.calls]).toEqual([length, {}]);
  expect((await send(api, response.id, approval(id))).output_text).toBe('Done.');
});

test('P11: the rest of a stream numbers the items as the response does', async () => {
  const { client } = apiOver(localWith(scripted(calls('echo', 'hi'), calls('echo', 'ho'), { text: 'Done.' })));
  const events = await Array.fromAsync(await client.responses.create({ model: 'm', input: 'Go', stream: true }));
  const last = events.at(-1);
  const whole = last?.type === 'response.completed' ? last.response : undefined;
  const ids = whole?.output.map(({ id }) => id) ?? [];
  expect(ids).toHaveLength(3);
  for (const { sequence_number: starting_after, type } of events) {
    const rest = await Array.fromAsync(
      await client.responses.retrieve(whole?.id ?? '', { stream: true, starting_after }),
    );
    const told = rest.flatMap((event) => (event.type === 'response.output_item.done' ? [event] : []));
    expect([type, told.map(({ output_index: at }) => ids[at])]).toEqual([type, told.map(({ item }) => item.id)]);
  }
});
