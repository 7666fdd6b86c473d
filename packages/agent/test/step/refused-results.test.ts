import { type ContentPart, imageContent, textContent, userMessage } from '@conv/core/events';
import { defineTool, type Tool } from '@conv/core/tool';
import { call, fail, type ModelRequest, say, toolResults } from '@conv/testing-model-server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent, llmSummarizingCondenser, openaiCompatible } from '../../src/index.ts';
import { scene } from '../support/bench.ts';
import { look } from '../support/tools.ts';

const POISON = fail(400, { message: 'The image data you provided does not represent a valid image.' });
const condenser = llmSummarizingCondenser({ maxSize: 40, keepFirst: 1 });

/** A tool that shows something. */
const show: Tool = defineTool({
  name: 'show',
  description: 'Shows a picture.',
  input: z.object({ what: z.string() }),
  annotations: { readOnly: true },
  execute: ({ what }) => {
    const content: ContentPart[] = [textContent(`a picture of ${what}`), imageContent('data:image/png;base64,AAAA')];
    return { content } as never;
  },
});

const hasImages = ({ body }: ModelRequest): boolean => JSON.stringify(body).includes('image_url');

test('a request refused for one result is sent again without the newest images, and later ones pass', async () => {
  const script = [
    call('show', { what: 'a cat' }),
    (request: ModelRequest) => (hasImages(request) ? POISON : call('look', { what: 'it' })),
    (request: ModelRequest) => (hasImages(request) ? POISON : call('look', { what: 'it' })),
    (request: ModelRequest) => (hasImages(request) ? POISON : say('done')),
    (request: ModelRequest) => (hasImages(request) ? POISON : say('still done')),
  ];
  await using stage = await scene(script, { agent: { tools: [look, show], condenser } });
  const { bench, server } = stage;
  bench.say('Show and look.');
  await bench.run();
  expect(server.requests.map(hasImages)).toEqual([false, true, false, false]);
  expect(toolResults(server.requests[2] as ModelRequest)[0]?.text).toContain('The provider refused it');
  expect(toolResults(server.requests[2] as ModelRequest)[0]?.text).toContain('a picture of a cat');
  bench.say('And now?');
  await bench.run();
  expect(server.requests).toHaveLength(5);
  // what is stored is as it was
  expect(JSON.stringify(bench.ofKind('ObservationEvent')[0])).toContain('image/png');
});

test('a request refused for an image of the user is sent again without the image', async () => {
  const script = (request: ModelRequest): ReturnType<typeof say> =>
    (hasImages(request) ? POISON : say('I cannot see it.')) as ReturnType<typeof say>;
  await using stage = await scene(script, { agent: { condenser } });
  stage.bench.append([userMessage([textContent('What is this?'), imageContent('data:image/png;base64,AAAA')])]);
  await stage.bench.run();
  expect(stage.server.requests).toHaveLength(2);
  const shown = stage.bench.condensableView().events;
  await stage.bench.session.answer('What did you see?', shown, new AbortController().signal);
  expect(stage.server.requests).toHaveLength(3);
});

test('a refused request is sent again without the newest results when images are not what is wrong', async () => {
  const poisoned = ({ messages }: ModelRequest): boolean => messages.some(({ text }) => text.includes('poison seen'));
  const script = [
    call('look', { what: 'poison' }),
    (request: ModelRequest) => (poisoned(request) ? fail(400, { message: 'Invalid token' }) : say('unreachable')),
    (request: ModelRequest) => (poisoned(request) ? fail(400, { message: 'Invalid token' }) : say('done')),
    say('still done'),
  ];
  await using stage = await scene(script, { agent: { tools: [look], condenser } });
  stage.bench.say('Look.');
  await stage.bench.run();
  expect(toolResults(stage.server.requests[2] as ModelRequest)[0]?.text).toContain('is left out');
  stage.bench.say('And now?');
  await stage.bench.run();
  expect(stage.server.requests.map(poisoned)).toEqual([false, true, false, false]);
});

test('a refused request rejects with the first refusal after three more, and the next step begins whole', async () => {
  const refuse = fail(400, { message: 'temperature is not supported' });
  const script = [
    call('show', { what: 'a cat' }),
    call('show', { what: 'a dog' }),
    ...Array.from({ length: 4 }, () => refuse),
    say('done'),
  ];
  await using stage = await scene(script, { agent: { tools: [show], condenser } });
  stage.bench.say('Show.');
  for (let time = 0; time < 2; time++) {
    await stage.bench.step();
    await stage.bench.executePending();
  }
  await expect(stage.bench.step()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(stage.server.requests).toHaveLength(6);
  expect(await stage.bench.step()).toBe('finished');
  expect(JSON.stringify(stage.server.requests[6]?.body).match(/image_url"/g)?.length).toBeGreaterThan(1);
});

test('a shortened request that fails for another reason rejects with that error', async () => {
  const script = [call('show', { what: 'a cat' }), POISON, fail(401)];
  await using stage = await scene(script, { agent: { tools: [show], condenser } });
  stage.bench.say('Show.');
  await stage.bench.step();
  await stage.bench.executePending();
  await expect(stage.bench.step()).rejects.toMatchObject({ code: 'AUTHENTICATION' });
});

test('the newer model after a switch writes the summaries, and reads images that the first refused', async () => {
  await using other = await scene([say('seen'), say('notes of the other'), say('done')]);
  const script = [call('show', { what: 'a cat' }), POISON, call('look', { what: 'it' })];
  await using stage = await scene(script, { agent: { tools: [look, show], condenser } });
  const { bench } = stage;
  bench.say('Show.');
  await bench.step();
  await bench.executePending();
  await bench.step();
  await bench.executePending();
  const model = openaiCompatible('other-model', { baseUrl: other.server.url });
  bench.session.switchTo?.(createAgent({ model, tools: [look, show], condenser }));
  expect(await bench.step()).toBe('finished');
  expect(other.server.requests.map(hasImages)).toEqual([true]);
  bench.append([{ source: 'environment', kind: 'CondensationRequest' }]);
  await bench.session.condense?.(bench.context());
  expect(bench.ofKind('Condensation')).toMatchObject([{ summary: 'notes of the other' }]);
});
