import { describe, expect, test } from 'vitest';
import type { ActionEvent, Event } from '@conv/core/events';
import { call, createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { anthropic, createAgent, type Model, openai } from '../../../src/index.ts';
import { startBench, type Bench } from '../../support/bench.ts';
import { look } from '../../support/tools.ts';

const KEY = 'sk-test-0123456789abcdef';

/** Two loops of a thinking model: in each it calls twice and then answers. */
async function played(
  makeModel: (url: string) => Model,
  change: (event: ActionEvent, index: number) => ActionEvent,
): Promise<ModelServer> {
  const loop = [call('look', { what: 'a' }), call('look', { what: 'b' }), say('seen')];
  const script = [...loop, ...loop].map((turn, index) => ({ ...turn, reasoning: `thought ${index}` }));
  const server = await createModelServer({ script });
  await using bench = await startBench(createAgent({ model: makeModel(server.url), tools: [look] }));
  bench.say('One');
  await steps(bench, 3);
  // As a masked secret leaves it behind.
  let index = 0;
  bench.events.splice(
    0,
    Infinity,
    ...bench.events.map((event): Event => (isAction(event) ? change(event, index++) : event)),
  );
  bench.say('Two');
  await steps(bench, 3);
  return server;
}

async function steps(bench: Bench, count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) {
    await bench.step();
    await bench.executePending();
  }
}

function isAction(event: Event): event is ActionEvent {
  return event.kind === 'ActionEvent';
}

function thoughts(server: ModelServer, request: number): string[] {
  return (server.requests[request]?.messages ?? []).flatMap(({ reasoning }) =>
    reasoning === undefined ? [] : [reasoning],
  );
}

function withoutSignature(event: ActionEvent): ActionEvent {
  const blocks = (event.thinking_blocks ?? []).map((block) =>
    'thinking' in block ? { type: 'thinking' as const, thinking: `${block.thinking} <secret-hidden>` } : block,
  );
  return { ...event, thinking_blocks: blocks };
}

function withoutContent(event: ActionEvent): ActionEvent {
  return { ...event, responses_reasoning_item: { summary: ['<secret-hidden>'] } };
}

const models = {
  messages: (url: string) => anthropic('claude-opus-4', { apiKey: KEY, baseUrl: url, settings: { reasoning: 'high' } }),
  responses: (url: string) => openai('gpt-5', { apiKey: KEY, baseUrl: url }),
};

describe.each([
  ['messages', withoutSignature],
  ['responses', withoutContent],
] as const)('thinking in %s', (api, strip) => {
  test('nothing is sent of a loop of which a part is masked, and all of the next loop', async () => {
    await using server = await played(models[api], (event, index) => (index === 1 ? strip(event) : event));
    expect(server.violations).toEqual([]);
    const last = thoughts(server, 5);
    expect(last).not.toContain('thought 0');
    expect(last).not.toContain('thought 1');
    expect(last).toEqual(expect.arrayContaining(['thought 3', 'thought 4']));
  });

  test('whole loops are sent as they were signed', async () => {
    await using server = await played(models[api], (event) => event);
    expect(server.violations).toEqual([]);
    expect(thoughts(server, 5)).toEqual(expect.arrayContaining(['thought 0', 'thought 1', 'thought 3', 'thought 4']));
  });
});
