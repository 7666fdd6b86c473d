import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textContent } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import type { TokenDelta } from '@conv/core';
import { keptPort } from '@conv/testing-harness';
import {
  call,
  calls,
  createModelServer,
  drop,
  fail,
  hang,
  nonsense,
  say,
  type Script,
  type Turn,
} from '@conv/testing-model-server';
import {
  anthropic,
  type Model,
  openai,
  openaiCompatible,
  type OpenaiCompatibleOptions,
  type Retry,
} from '../../../src/index.ts';
import { complete, type Completion, type CompletionRequest } from '../../../src/model/completion/complete.ts';
import { offerTool } from '../../../src/tools/offered-tool.ts';
import { look } from '../../support/tools.ts';

const KEY = 'sk-test-0123456789abcdef';

interface Asked {
  readonly waits: number[];
  readonly result: PromiseSettledResult<Completion>;
  readonly requests: number;
}

async function ask(
  script: Script,
  options: Partial<OpenaiCompatibleOptions> = {},
  request: Partial<CompletionRequest> = {},
): Promise<Asked> {
  await using server = await createModelServer({ script });
  const waits: number[] = [];
  const sleep = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
  const model = openaiCompatible('m', {
    baseUrl: server.url,
    apiKey: KEY,
    retry: { sleep, random: () => 0.5 },
    ...options,
  });
  const [result] = await Promise.allSettled([complete(model, question(request))]);
  return { waits, result, requests: server.requests.length };
}

function question(more: Partial<CompletionRequest> = {}): CompletionRequest {
  const messages = [{ role: 'user' as const, content: [textContent('Hello')], thinking_blocks: [] }];
  return { platform: systemPlatform, messages, usageId: 'default', signal: new AbortController().signal, ...more };
}

function five(turn: Turn): Turn[] {
  return Array.from({ length: 5 }, () => turn);
}

describe('answers of a provider', () => {
  test.each([
    [
      'a refused key',
      fail(401, { message: `Incorrect API key provided: ${KEY}` }),
      'AUTHENTICATION',
      'LLMAuthenticationError',
      1,
    ],
    ['no right to the model', fail(403), 'AUTHENTICATION', 'LLMAuthenticationError', 1],
    ['too many requests', fail(429), 'RATE_LIMIT', 'LLMRateLimitError', 5],
    [
      'no credit',
      fail(429, { code: 'insufficient_quota', message: 'You exceeded your current quota' }),
      'QUOTA',
      'LLMQuotaExceededError',
      1,
    ],
    ['an outage', fail(503), 'UNAVAILABLE', 'LLMServiceUnavailableError', 5],
    ['a gateway timeout', fail(504), 'TIMEOUT', 'LLMTimeoutError', 5],
    ['an error page', fail(502, { body: '<html>bad gateway</html>' }), 'UNAVAILABLE', 'LLMServiceUnavailableError', 5],
    ['a wrong request', fail(400, { message: `bad parameter, key ${KEY}` }), 'BAD_REQUEST', 'LLMBadRequestError', 1],
    ['an unknown model', fail(404, { message: 'model not found' }), 'BAD_REQUEST', 'LLMBadRequestError', 1],
    [
      'a long history',
      fail(400, { code: 'context_length_exceeded' }),
      'CONTEXT_WINDOW_EXCEEDED',
      'LLMContextWindowExceedError',
      1,
    ],
    [
      'a history that does not fit',
      fail(400, { message: "An assistant message with 'tool_calls' must be followed by tool messages" }),
      'MALFORMED_HISTORY',
      'LLMMalformedConversationHistoryError',
      1,
    ],
    [
      'a refusal',
      fail(400, { code: 'content_policy_violation' }),
      'CONTENT_POLICY',
      'LLMContentPolicyViolationError',
      1,
    ],
    ['a cut connection', drop(), 'UNAVAILABLE', 'LLMServiceUnavailableError', 5],
    ['half an answer', drop('mid-stream'), 'UNAVAILABLE', 'LLMServiceUnavailableError', 5],
    ['a page in place of an answer', nonsense('<html>login</html>'), 'BAD_RESPONSE', 'LLMNoResponseError', 5],
    ['JSON that is no answer', nonsense('{"hello": 1}'), 'BAD_RESPONSE', 'LLMNoResponseError', 5],
    [
      'an answer without choices',
      nonsense('{"id":"x","created":1,"model":"m","choices":[]}'),
      'NO_RESPONSE',
      'LLMNoResponseError',
      5,
    ],
  ])(
    'P13: %s has its code, and is tried again only if that may help',
    async (_, turn, code, conversationErrorCode, tries) => {
      const { result, requests } = await ask(five(turn));
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code, conversationErrorCode, retryable: tries > 1 },
      });
      expect(requests).toBe(tries);
      expect('reason' in result && String(result.reason)).not.toContain(KEY);
      expect('reason' in result && String(result.reason)).toContain('openai/m');
    },
  );

  test.each([
    ['half a stream', drop('mid-stream'), 'UNAVAILABLE'],
    ['a stream that is none', nonsense(), 'BAD_RESPONSE'],
    [
      'an error inside the stream',
      nonsense('data: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n'),
      'UNAVAILABLE',
    ],
    ['an empty stream', nonsense('data: [DONE]\n\n'), 'UNAVAILABLE'],
  ])('P13: %s has its code when streaming', async (_, turn, code) => {
    const { result, requests } = await ask(five(turn), {}, { onDelta: () => {} });
    expect(result).toMatchObject({ status: 'rejected', reason: { code } });
    expect(requests).toBe(5);
  });

  test('P13: a call to an address without a server is UNAVAILABLE and names the model', async () => {
    const model = openaiCompatible('m', {
      baseUrl: `http://127.0.0.1:${await keptPort()}/v1`,
      retry: { attempts: 2, sleep: async () => {} },
    });
    await expect(complete(model, question())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('openai/m'),
    });
  });

  test('P13: silence ends in TIMEOUT, before the answer and in the middle of a stream', async () => {
    const once1 = { attempts: 1 };
    const before = await ask([hang()], { timeout: 50, retry: once1 });
    expect(before.result).toMatchObject({ reason: { code: 'TIMEOUT', conversationErrorCode: 'LLMTimeoutError' } });
    const deltas: string[] = [];
    const onDelta = ({ text }: { text: string }): void => void deltas.push(text);
    const patient = { timeout: 4000, retry: once1 };
    const middle = await ask([hang(say(['one', 'two', 'three', 'four']))], patient, { onDelta });
    expect(middle.result).toMatchObject({ reason: { code: 'TIMEOUT' } });
    expect(deltas.length).toBeGreaterThan(0);
  });
});

describe('trying again', () => {
  test('waits are random below a bound that doubles, and as long as the provider asks', async () => {
    const asks = { ...fail(503), headers: { 'retry-after-ms': '1500' } };
    const { waits, result } = await ask([fail(503), fail(503), fail(429, { retryAfter: 7 }), asks, say('at last')]);
    expect(result.status).toBe('fulfilled');
    expect(waits).toEqual([500, 1000, 7500, 2000]);
  });

  test('onRetry gets the error and the delay before each retry, and cannot fail the call', async () => {
    const told: unknown[] = [];
    const onRetry = (retry: Retry): void => {
      told.push(retry);
      throw new Error('no interest');
    };
    const retry = { sleep: async () => {}, random: () => 0.5, onRetry };
    const { result } = await ask([fail(503), fail(429, { retryAfter: 7 }), say('at last')], { retry });
    expect(result.status).toBe('fulfilled');
    expect(told).toEqual([
      { attempt: 1, attempts: 5, delay: 500, error: expect.objectContaining({ code: 'UNAVAILABLE' }) },
      { attempt: 2, attempts: 5, delay: 7500, error: expect.objectContaining({ code: 'RATE_LIMIT' }) },
    ]);
  });

  test('a provider that asks for more than the longest wait ends the tries', async () => {
    const { result, requests } = await ask([fail(429, { retryAfter: 3600 }), say('no')]);
    expect(requests).toBe(1);
    expect(result).toMatchObject({ reason: { code: 'RATE_LIMIT', retryAfter: 3_600_000 } });
  });

  test('deltas count their attempt, so that what a broken stream said can be dropped', async () => {
    const seen: (readonly [number, string])[] = [];
    const onDelta: CompletionRequest['onDelta'] = ({ text }, attempt) => void seen.push([attempt, text]);
    const { result } = await ask(
      [drop('mid-stream', say(['a', 'b', 'c', 'd', 'e', 'f'])), say(['x', 'y'])],
      {},
      { onDelta },
    );
    expect(result).toMatchObject({ status: 'fulfilled', value: { message: { content: [{ text: 'xy' }] } } });
    expect(seen.some(([attempt]) => attempt === 1)).toBe(true);
    expect(
      seen
        .filter(([attempt]) => attempt === 2)
        .map(([, text]) => text)
        .join(''),
    ).toBe('xy');
  });

  test('P7: an abort ends a wait between tries with its reason', async () => {
    await using server = await createModelServer({ script: [fail(503)] });
    const controller = new AbortController();
    const reason = new Error('enough');
    const model = openaiCompatible('m', { baseUrl: server.url, retry: { minDelay: 60_000, random: () => 1 } });
    const asking = Promise.allSettled([complete(model, question({ signal: controller.signal }))]);
    expect(await (await server.request(0)).outcome).toBe('answered');
    controller.abort(reason);
    expect(await asking).toEqual([{ status: 'rejected', reason }]);
  });
});

test('any split of a stream gives the same message as the unstreamed answer', async () => {
  const args = JSON.stringify({ what: 'ein größeres 😀 Stück' });
  const whole = {
    text: 'Ich schaue: «é» 😀.',
    reasoning: 'first, look',
    toolCalls: [{ name: 'look', arguments: args, id: 'call_x' }],
  };
  const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 6 });
  const split = (text: string, at: readonly number[]): string[] => {
    const points = Array.from(text);
    const edges = [0, ...at.filter((edge) => edge < points.length).toSorted((a, b) => a - b), points.length];
    return edges.slice(1).map((edge, index) => points.slice(edges[index], edge).join(''));
  };
  await using server = await createModelServer({
    script: (request) => (request.stream ? next : calls(whole.toolCalls, whole)),
  });
  const model = openaiCompatible('m', { baseUrl: server.url });
  let next: Turn = whole;
  const { message } = await complete(model, question());
  expect(message).toMatchObject({
    reasoning_content: 'first, look',
    tool_calls: [{ id: 'call_x', name: 'look', arguments: args }],
  });
  await fc.assert(
    fc.asyncProperty(cuts, cuts, cuts, async (a, b, c) => {
      next = {
        text: split(whole.text, a),
        reasoning: split(whole.reasoning, b),
        toolCalls: [{ name: 'look', id: 'call_x', arguments: split(args, c) }],
      };
      const texts: Record<TokenDelta['kind'], string> = { text: '', reasoning: '', tool_call: '' };
      const streamed = await complete(model, question({ onDelta: ({ kind, text }) => void (texts[kind] += text) }));
      expect(streamed.message).toEqual(message);
      expect(texts).toEqual({ text: whole.text, reasoning: whole.reasoning, tool_call: args });
    }),
    { numRuns: 25 },
  );
});

const protocols = [
  {
    api: 'chat',
    modelAt: (url: string): Model => openai('m', { apiKey: KEY, baseUrl: url, api: 'chat' }),
    origin: 'completion',
    kept: {},
    replayed: undefined,
  },
  {
    api: 'responses',
    modelAt: (url: string): Model => openai('gpt-5', { apiKey: KEY, baseUrl: url }),
    origin: 'responses',
    kept: { reasoning_content: 'why not', responses_reasoning_item: { encrypted_content: expect.any(String) } },
    replayed: 'why not',
  },
  {
    api: 'messages',
    modelAt: (url: string): Model => anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: url }),
    origin: 'completion',
    kept: { thinking_blocks: [{ type: 'thinking', thinking: 'why not', signature: expect.any(String) }] },
    replayed: 'why not',
  },
] as const;

describe.each(protocols)('the $api protocol', ({ modelAt, origin, kept, replayed }) => {
  test.each([
    ['streamed', (): void => {}],
    ['unstreamed', undefined],
  ])("the provider's stream takes back what it said, %s", async (_, onDelta) => {
    await using server = await createModelServer({
      apiKey: KEY,
      script: [call('look', { what: 'x' }, { text: 'Looking.', reasoning: 'why not' }), say('Done.')],
    });
    const model = modelAt(server.url);
    const tools = [offerTool(look).definition];
    const first = question({ tools, onDelta });
    const { message, record } = await complete(model, first);
    expect(message).toMatchObject({ ...kept, content: [{ text: 'Looking.' }], tool_calls: [{ name: 'look', origin }] });
    expect(record.promptTokens).toBeGreaterThan(0);
    const image = { type: 'image' as const, image_urls: ['data:image/png;base64,iVBORw0KGgo='] };
    const id = message.tool_calls?.[0]?.id ?? '';
    const content = [textContent('seen'), image];
    const answer = { role: 'tool' as const, content, tool_call_id: id, name: 'look', thinking_blocks: [] };
    const last = await complete(model, question({ messages: [...first.messages, message, answer], tools, onDelta }));
    expect(last.message.content).toMatchObject([{ text: 'Done.' }]);
    expect(server.violations).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('iVBORw0KGgo=');
    const said = server.requests[1]?.messages.find(({ role }) => role === 'assistant');
    expect(said?.reasoning).toBe(replayed);
  });
});

test.each([
  ['openai/o3', false],
  ['openai/gpt-5-mini', false],
  ['litellm_proxy/openai/gpt-5', false],
  ['openai/gpt-5-chat-latest', true],
  ['openai/gpt-4o', true],
  ['openai/qwen3', true],
])('a model behind a base URL %s is sent temperature and top_p: %s', async (name, isSent) => {
  await using server = await createModelServer({ script: [say('Yes.')] });
  const settings = { temperature: 0, topP: 0.5, maxOutputTokens: 100 };
  const model = openaiCompatible('m', { baseUrl: server.url, apiKey: KEY, name, settings });
  await complete(model, question());
  const body = server.requests[0]?.body;
  expect(body).toMatchObject({ max_tokens: 100, ...(isSent ? { temperature: 0, top_p: 0.5 } : {}) });
  expect(Object.keys(body ?? {}).includes('temperature')).toBe(isSent);
  // the description keeps what was asked for
  expect(model.settings).toEqual(settings);
});
