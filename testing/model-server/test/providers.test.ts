import { APICallError, type LanguageModelV4CallOptions, type LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { call, calls, drop, fail, hang, say, toolResults, type TurnFunction } from '../src/index.ts';
import { assistantMessage, drives, models, partsOf } from './drive-model.ts';
import { serve } from './serve.ts';

const tools: NonNullable<LanguageModelV4CallOptions['tools']> = [
  { type: 'function', name: 'terminal', inputSchema: { type: 'object', properties: { command: { type: 'string' } } } },
];
const prompt: LanguageModelV4Message[] = [
  { role: 'system', content: 'be brief' },
  { role: 'user', content: [{ type: 'text', text: 'count the files' }] },
];

const combinations = Object.keys(models).flatMap((model) =>
  Object.keys(drives).map((drive) => [model, drive] as const),
);

function connect(name: string, url: string) {
  const connected = models[name]?.(url);
  if (connected === undefined) throw new Error(`no model ${name}`);
  return connected;
}

describe.each(combinations)('%s through %s', (modelName, driveName) => {
  const drive = drives[driveName];
  if (drive === undefined) throw new Error(`no drive ${driveName}`);

  test('a turn with reasoning, text, two calls and their results goes there and back', async () => {
    const counting: TurnFunction = (request) => {
      const lines = toolResults(request).map(({ text }) => text.split('\n').length);
      return say(`${lines.join(' and ')} files`, {
        usage: { promptTokens: 90, completionTokens: 8, cachedTokens: 32 },
      });
    };
    const twoCalls = calls(
      [
        { name: 'terminal', arguments: { command: 'ls a' } },
        { name: 'terminal', arguments: ['{"comm', 'and":"ls b"', '}'] },
      ],
      { text: 'Looking.', reasoning: 'two folders' },
    );
    const server = await serve([twoCalls, counting], { apiKey: 'key' });
    const model = connect(modelName, server.url);
    const first = await drive(model, { prompt, tools });
    expect(first.finishReason.unified).toBe('tool-calls');
    const texts = first.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts).toEqual(['Looking.']);
    const made = first.content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
    expect(made.map(({ toolName, input }) => [toolName, input])).toEqual([
      ['terminal', '{"command":"ls a"}'],
      ['terminal', '{"command":"ls b"}'],
    ]);

    const results: LanguageModelV4Message = {
      role: 'tool',
      content: made.map(({ toolCallId, toolName }, index) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: index === 0 ? 'x\ny\nz' : 'x' },
      })),
    };
    const second = await drive(model, { prompt: [...prompt, assistantMessage(first.content), results], tools });
    expect(second.content).toMatchObject([{ type: 'text', text: '3 and 1 files' }]);
    expect(second.finishReason.unified).toBe('stop');
    expect(second.usage).toMatchObject({
      inputTokens: { total: 90, cacheRead: 32 },
      outputTokens: { total: 8 },
    });
    expect(server.violations).toEqual([]);
    expect(server.requests.map(({ stream }) => stream)).toEqual([driveName === 'doStream', driveName === 'doStream']);
  });

  test('a fault with a status becomes an APICallError with status, message and Retry-After', async () => {
    const server = await serve([fail(429, { retryAfter: 7, message: 'too many' })]);
    const failed: unknown = await drive(connect(modelName, server.url), { prompt }).catch((error: unknown) => error);
    expect(APICallError.isInstance(failed)).toBe(true);
    expect(failed).toMatchObject({
      statusCode: 429,
      message: 'too many',
      isRetryable: true,
      responseHeaders: { 'retry-after': '7' },
    });
  });

  test('a refused request becomes an APICallError that names the rule and is not retried', async () => {
    const server = await serve([say('never')]);
    const unanswered: LanguageModelV4Message[] = [
      ...prompt,
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'terminal', input: {} }] },
    ];
    const failed = drive(connect(modelName, server.url), { prompt: unanswered, tools });
    await expect(failed).rejects.toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('c1'),
    });
    expect(server.violations.map(({ rule }) => rule)).toEqual(['tool-call-unanswered']);
  });

  test('a connection cut before or inside the answer rejects', async () => {
    const server = await serve([drop(), drop('mid-stream')]);
    const model = connect(modelName, server.url);
    await expect(drive(model, { prompt })).rejects.toThrow('Cannot connect to API');
    await expect(drive(model, { prompt })).rejects.toThrow(/terminated|Failed to process/);
    expect(await Promise.all(server.requests.map(({ outcome }) => outcome))).toEqual(['dropped', 'dropped']);
  });

  test('an abort while the model hangs reaches the server', async () => {
    const server = await serve([hang()]);
    const controller = new AbortController();
    const pending = drive(connect(modelName, server.url), { prompt, abortSignal: controller.signal });
    const request = await server.request(0);
    const reason = new Error('the user pressed stop');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(await request.outcome).toBe('client-gone');
  });

  test('an answer cut for length finishes with length', async () => {
    const server = await serve([say('cut o', { finishReason: 'length' })]);
    const { finishReason } = await drive(connect(modelName, server.url), { prompt });
    expect(finishReason.unified).toBe('length');
  });
});

test.each(Object.keys(models))('%s streams text and arguments in the chunks of the script', async (modelName) => {
  const server = await serve([
    call('terminal', ['{"comm', 'and":1}'], { text: ['my sec', 'ret is'], reasoning: ['h', 'm'] }),
  ]);
  const parts = await partsOf(connect(modelName, server.url), { prompt, tools });
  const deltas = (type: string) =>
    parts.flatMap((part) => (part.type === type && 'delta' in part && part.delta !== '' ? [part.delta] : []));
  expect(deltas('text-delta')).toEqual(['my sec', 'ret is']);
  expect(deltas('tool-input-delta')).toEqual(['{"comm', 'and":1}']);
  // OpenAI itself sends no reasoning through Chat Completions, so its provider does not read any.
  expect(deltas('reasoning-delta')).toEqual(modelName === 'openai chat' ? [] : ['h', 'm']);
});

test('openai responses with store: false carries reasoning back encrypted', async () => {
  const server = await serve([call('terminal', {}, { reasoning: 'hm' }), say('done')]);
  const model = connect('openai responses', server.url);
  const providerOptions = { openai: { store: false, include: ['reasoning.encrypted_content'] } };
  const first = await model.doGenerate({ prompt, tools, providerOptions });
  const result: LanguageModelV4Message = {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'call_1', toolName: 'terminal', output: { type: 'text', value: 'ok' } },
    ],
  };
  await model.doGenerate({ prompt: [...prompt, assistantMessage(first.content), result], tools, providerOptions });
  expect(server.violations).toEqual([]);
  expect((await server.request(1)).messages[2]).toMatchObject({
    role: 'assistant',
    reasoning: 'hm',
    toolCalls: [{ id: 'call_1' }],
  });
});
