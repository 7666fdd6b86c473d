import { readFile } from 'node:fs/promises';
import type { LanguageModelV4Content } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { type ContentPart, imageContent, isText, textContent, userMessage } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { createModelServer, say } from '@conv/testing-model-server';
import { anthropic, createAgent, type Model, openai, openaiCompatible } from '../../src/index.ts';
import { complete } from '../../src/model/completion/complete.ts';
import { StreamedAnswer } from '../../src/model/completion/read-stream.ts';
import { startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { look } from '../support/tools.ts';

const KEY = 'sk-test-0123456789';
const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex');

/** An image as providers give it. */
function painted(bytes: Uint8Array | string, mediaType = 'image/png'): LanguageModelV4Content {
  return { type: 'file', mediaType, data: { type: 'data', data: bytes } };
}

function partsOf(content: unknown): readonly ContentPart[] {
  return Array.isArray(content) ? (content as ContentPart[]) : [];
}

test.each([
  ['base64', PIXEL.toString('base64')],
  ['bytes', new Uint8Array(PIXEL)],
])('an image that a model gives as %s is part of its answer', async (_, data) => {
  const model = scriptedModel([[{ type: 'text', text: 'Here.' }, painted(data)], [painted(data)]]);
  await using bench = await startBench(createAgent({ model }));
  bench.say('Paint');
  expect(await bench.step()).toBe('finished');
  bench.say('Again');
  expect(await bench.step()).toBe('finished');
  const image = imageContent(`data:image/png;base64,${PIXEL.toString('base64')}`);
  expect(bench.ofKind('MessageEvent').map(({ llm_message }) => llm_message.content)).toEqual([
    [textContent('Paint')],
    [textContent('Here.'), image],
    [textContent('Again')],
    [image],
  ]);
});

const large = Buffer.alloc(600_000, 7);

async function noteOn(session: {
  readonly sideDirectory?: never;
}): Promise<{ note: string; file: Buffer | undefined }> {
  const model = scriptedModel([[painted(PIXEL), painted(large, 'image/jpeg')]]);
  await using bench = await startBench(createAgent({ model }), session);
  bench.say('Paint');
  await bench.step();
  const parts = partsOf(bench.ofKind('MessageEvent').at(-1)?.llm_message.content);
  expect(parts.map(({ type }) => type)).toEqual(['image', 'text']);
  const note = parts
    .filter(isText)
    .map(({ text }) => text)
    .join('');
  const [, path] = /\[An image: (.*\.jpg)\]/.exec(note) ?? [];
  return { note, file: path === undefined ? undefined : await readFile(path) };
}

test('P12: an image that no event can carry is a file, and a text says where', async () => {
  expect((await noteOn({})).file).toEqual(large);
});

test('P12: a text says that the image is lost without a folder for files', async () => {
  const { note, file } = await noteOn({ sideDirectory: undefined as never });
  expect([note, file]).toEqual(['[An image that is too large to be stored]', undefined]);
});

test('an image beside calls is a file that the thought names', async () => {
  const model = scriptedModel([
    [painted(PIXEL), { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"what":"a"}' }],
  ]);
  await using bench = await startBench(createAgent({ model, tools: [look] }));
  bench.say('Paint and look');
  await bench.step();
  const [thought] = bench.ofKind('ActionEvent')[0]?.thought ?? [];
  expect(await readFile(/\[An image: (.*\.png)\]/.exec(thought?.text ?? '')?.[1] ?? '')).toEqual(PIXEL);
});

test('a file that is no image is left out', async () => {
  const model = scriptedModel([[{ type: 'text', text: 'Here.' }, painted(PIXEL, 'audio/mp3')]]);
  await using bench = await startBench(createAgent({ model }));
  bench.say('Sing');
  await bench.step();
  expect(bench.ofKind('MessageEvent').at(-1)?.llm_message.content).toEqual([textContent('Here.')]);
});

test('an image in a stream is kept in its place', () => {
  const answer = new StreamedAnswer();
  answer.add({ type: 'text-start', id: '1' });
  answer.add({ type: 'text-delta', id: '1', delta: 'Here.' });
  answer.add(painted(PIXEL) as never);
  answer.add({
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  });
  expect(answer.finish('m').content.map(({ type }) => type)).toEqual(['text', 'file']);
});

const elsewhere: readonly (readonly [string, (url: string) => Model])[] = [
  ['chat', (url) => openaiCompatible('m', { baseUrl: url })],
  ['responses', (url) => openai('gpt-5', { apiKey: KEY, baseUrl: url })],
  ['messages', (url) => anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: url })],
];

test.each(elsewhere)('images of the user and of models go in, in the %s protocol', async (_, modelAt) => {
  await using server = await createModelServer({ script: [say('Seen.')] });
  const painter = scriptedModel([[{ type: 'text', text: 'Here.' }, painted(PIXEL)]]);
  const agent = createAgent({ model: painter });
  await using bench = await startBench(agent);
  bench.append([userMessage([textContent('Like this'), imageContent('data:image/png;base64,QUJD')])]);
  await bench.step();
  bench.say('What is it?');
  bench.session.switchTo?.(agent.withModel(modelAt(server.url)));
  await bench.step();
  expect(server.violations).toEqual([]);
  const body = JSON.stringify(server.requests[0]?.body);
  expect([body.includes('QUJD'), body.includes(PIXEL.toString('base64'))]).toEqual([true, true]);
});

test('a model without eyes reads that there is an image, of the user as of a tool, and is sent none', async () => {
  await using server = await createModelServer({ script: [say('Ah.')] });
  const model = openaiCompatible('m', { baseUrl: server.url, vision: false });
  const image = imageContent('data:image/png;base64,QUJD');
  await complete(model, {
    platform: systemPlatform,
    messages: [
      { role: 'user', content: [image], thinking_blocks: [] },
      { role: 'assistant', content: [textContent('Here.'), image], thinking_blocks: [] },
      { role: 'user', content: [textContent('And?')], thinking_blocks: [] },
    ],
    usageId: 'u',
    signal: new AbortController().signal,
  });
  expect(server.requests[0]?.messages.map(({ text }) => text)).toEqual([
    '[an image that you cannot see]',
    'Here.',
    'And?',
  ]);
});
