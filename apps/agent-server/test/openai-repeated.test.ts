import { StreamingAgent } from '@conv/testing-harness';
import type OpenAI from 'openai';
import { afterEach, expect, test, vi } from 'vitest';

import { heldAgent } from './held-agent.ts';
import { apiOver, calls, localWith, scripted, weather } from './openai-api.ts';

type Response = OpenAI.Responses.Response;

afterEach(() => void vi.unstubAllEnvs());

test('P10: an approval that is sent again, or twice at once, gets what came of it', async () => {
  const { client } = apiOver(localWith(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
  const asked = await client.responses.create({ model: 'm', input: 'Go' });
  const approve = async (): Promise<Response> =>
    client.responses.create({
      model: 'm',
      previous_response_id: asked.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: asked.output[0]?.id ?? '', approve: true }],
    });
  const [first, second] = await Promise.all([approve(), approve()]);
  expect([first.status, first.output_text]).toEqual(['completed', 'Done.']);
  // the tokens are those of the request that began the run
  const { usage: _, ...told } = first;
  expect(second).toMatchObject(told);
  expect(await approve()).toEqual({ ...told, usage: null });
});

test('P11: an output that is sent again, or twice at once, gets its answer and no call', async () => {
  const { client } = apiOver(localWith(scripted(calls('weather', 'Rome'), { text: 'Sunny.' })));
  const asked = await client.responses.create({ model: 'm', input: 'Go', tools: [weather] });
  const call_id = Object(asked.output[0]).call_id as string;
  const tell = async (): Promise<Response> =>
    client.responses.create({
      model: 'm',
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id, output: 'sun' }],
    });
  for (const response of [...(await Promise.all([tell(), tell()])), await tell()])
    expect([response.status, response.output.filter(({ type }) => type === 'function_call')]).toEqual([
      'completed',
      [],
    ]);
  expect((await tell()).output_text).toBe('Sunny.');
});

test('a chat that is sent again gets the answer to its newest output', async () => {
  const script = [calls('weather', 'Rome'), { text: 'And Oslo?', ...calls('weather', 'Oslo') }, { text: 'Sunny.' }];
  const { client } = apiOver(localWith(scripted(...script)));
  const { strict: _, type, ...described } = weather;
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go' }];
  const ask = async (): Promise<OpenAI.ChatCompletionMessage | undefined> => {
    const answer = await client.chat.completions.create({
      model: 'm',
      messages,
      tools: [{ type, function: described }],
    });
    return answer.choices[0]?.message;
  };
  for (let turn = 0; turn < 2; turn++) {
    const message = await ask();
    const tool_call_id = message?.tool_calls?.[0]?.id ?? '';
    messages.push(message as never, { role: 'tool', tool_call_id, content: 'sun' });
  }
  const answer = await ask();
  expect(answer?.content).toBe('Sunny.');
  expect(await ask()).toEqual(answer);
});

test('P11: the same message twice at once gets one answer, which both requests have complete', async () => {
  const { client, conversations } = apiOver(
    localWith(scripted({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })),
  );
  const first = await client.responses.create({ model: 'm', input: 'Go' });
  const key = crypto.randomUUID();
  const again = async (id: string): Promise<Response> =>
    client.responses.create(
      { model: 'm', input: 'Again', previous_response_id: first.id },
      { headers: { 'Idempotency-Key': id } },
    );
  const responses = await Promise.all([again(key), again(key.toUpperCase())]);
  for (const { status, output_text: text } of responses) expect([status, text]).toEqual(['completed', 'Two.']);
  const said = await conversations[0]?.events.slice();
  expect(said?.filter(({ source }) => source === 'user')).toHaveLength(2);
});

test('a streamed chat that is sent again ends before the next turn', async () => {
  const { client, conversations } = apiOver(
    localWith(scripted({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })),
  );
  await client.responses.create({ model: 'm', input: 'Go' });
  const metadata = { conversation: conversations[0]?.id ?? '' };
  const ask = async (content: string, key: string): Promise<string | null> =>
    client.chat.completions
      .stream({ model: 'm', metadata, messages: [{ role: 'user', content }] }, { headers: { 'Idempotency-Key': key } })
      .finalContent();
  const key = crypto.randomUUID();
  expect(await ask('Second', key)).toBe('Two.');
  expect(await ask('Third', crypto.randomUUID())).toBe('Three.');
  expect(await ask('Second', key)).toBe('Two.');
});

test('a cancelled response stays cancelled when the conversation goes on', async () => {
  const begun = Promise.withResolvers<void>();
  let cancelled = false;
  const agent = new StreamingAgent(async ({ context: { signal } }) => {
    begun.resolve();
    if (cancelled) return 'On.';
    await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return '';
  });
  const { client } = apiOver(localWith(agent));
  const { id } = await client.responses.create({ model: 'm', input: 'Go', background: true });
  await begun.promise;
  await client.responses.cancel(id);
  cancelled = true;
  const next = await client.responses.create({ model: 'm', input: 'Go on', previous_response_id: id });
  expect(next.output_text).toBe('On.');
  expect((await client.responses.retrieve(id)).status).toBe('cancelled');
});

test('cancelling a response that is queued leaves the run before it', async () => {
  const { agent, begun, goOn } = heldAgent();
  const { client, conversations } = apiOver(localWith(agent));
  const first = await client.responses.create({ model: 'm', input: 'Go', background: true });
  await begun;
  const conversation = conversations[0]?.id ?? '';
  const next = await client.responses.create({ model: 'm', input: 'On', background: true, conversation });
  expect((await client.responses.cancel(next.id)).status).toBe('queued');
  goOn();
  for await (const _ of await client.responses.retrieve(next.id, { stream: true }));
  const ended = [await client.responses.retrieve(first.id), await client.responses.retrieve(next.id)];
  expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(ended[1]?.output_text).toBe('Done.');
});

test('P10: cancelling a response that asks for an approval decides nothing', async () => {
  const { client, conversations } = apiOver(localWith(scripted(calls('echo', 'hi')), true));
  const { id } = await client.responses.create({ model: 'm', input: 'Go' });
  expect((await client.responses.cancel(id)).status).toBe('completed');
  expect(conversations[0]?.state.pendingActions).toHaveLength(1);
});

test('a response was created when its message was, in every time zone', async () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  expect(new Date(0).getTimezoneOffset()).toBe(-540);
  const { client, conversations } = apiOver(localWith(scripted({ text: 'One.' })));
  const { created_at: created } = await client.responses.create({ model: 'm', input: 'Go' });
  const events = await conversations[0]?.events.slice();
  const said = events?.find(({ source }) => source === 'user')?.timestamp ?? '';
  expect(created).toBe(Math.floor(Date.parse(`${said}+09:00`) / 1000));
});

test('an image whose URL no model can read is refused', async () => {
  const { client, conversations } = apiOver(localWith(scripted()));
  const url = 'data:application/pdf;base64,AAAA';
  const image = { type: 'input_image' as const, image_url: url, detail: 'auto' as const };
  const chat = [{ role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url: 'nonsense' } }] }];
  const refused = { status: 400, message: expect.stringContaining('an image with a URL of http') };
  await expect(
    client.responses.create({ model: 'm', input: [{ role: 'user', content: [image] }] }),
  ).rejects.toMatchObject(refused);
  await expect(client.chat.completions.create({ model: 'm', messages: chat })).rejects.toMatchObject(refused);
  expect(conversations).toHaveLength(0);
});
