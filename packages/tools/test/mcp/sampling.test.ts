import { defineTool, text, type JsonObject } from '@conv/core/tool';
import { ManualPlatform } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { McpSampling } from '../../src/index.ts';
import { CallTime } from '../../src/mcp/call-time.ts';
import { AskedModel, type SampledCall } from '../../src/mcp/sampling.ts';
import { textOf } from '../open-tool.ts';
import { sessionlessServer, sessionServer } from './support/http-server.ts';
import { everything, openServers, scripted } from './support/open-servers.ts';

const servers = [
  ['a process', async () => scripted()],
  ['an address with sessions', async () => ({ url: (await sessionServer()).url })],
  ['an address without sessions', async () => ({ url: (await sessionlessServer()).url })],
] as const;

/** A model that says the same each time, and what it was asked. */
function model(): { readonly sampling: McpSampling; readonly asked: (readonly [string, JsonObject])[] } {
  const asked: (readonly [string, JsonObject])[] = [];
  const sampling: McpSampling = async (request, { server }) => {
    asked.push([server, request]);
    return { role: 'assistant', content: { type: 'text', text: 'Red.' }, model: 'painter' };
  };
  return { sampling, asked };
}

describe('a server that asks a model', () => {
  test.each(servers)('a server that asks a model as %s gets the answer of the function of the app', async (_, make) => {
    const { sampling, asked } = model();
    const { call } = await openServers({ shop: await make() }, { sampling });
    expect(textOf(await call('complete'))).toBe('the model said {"type":"text","text":"Red."}');
    const messages = [{ role: 'user', content: { type: 'text', text: 'Name a colour.' } }];
    expect(asked).toMatchObject([['shop', { messages, maxTokens: 10 }]]);
  });

  test("a server gets the model's answer between two requests, even where a person can be asked", async () => {
    const user = defineTool({ name: 'ask_user', description: 'Asks.', input: z.object({}), execute: () => text('') });
    const { sampling, asked } = model();
    const { url } = await sessionlessServer();
    const { call } = await openServers({ shop: { url } }, { sampling, ownTools: [user] });
    expect(textOf(await call('complete'))).toContain('Red.');
    expect(asked).toHaveLength(1);
  });

  test('a server of the official package that asks a model gets the answer', async () => {
    const { sampling } = model();
    const { call, names, changed } = await openServers({ s: everything() }, { sampling });
    while (!names().includes('trigger-sampling-request')) await changed();
    expect(textOf(await call('trigger-sampling-request', { prompt: 'Paint' }))).toContain('Red.');
  });

  test.each(servers)(
    'a server that asks as %s is refused by the name of its request without the function',
    async (_, make) => {
      const { call } = await openServers({ shop: await make() });
      expect(textOf(await call('complete'))).toMatch(/sampling/);
    },
  );

  test.each([
    ['fails', () => Promise.reject(new Error('the key sk-0123456789 is wrong'))],
    ['answers with nothing', () => Promise.resolve(undefined as unknown as JsonObject)],
  ] as const)('P9: a server that asks a model is told by name that the model %s, and not why', async (_, sampling) => {
    const { call } = await openServers({ shop: scripted() }, { sampling });
    const told = textOf(await call('complete'));
    expect(told).toContain('sampling/createMessage failed');
    expect(told).not.toContain('sk-0123456789');
  });
});

describe('while a server asks a model', () => {
  const never = new AbortController().signal;

  function begin(model: AskedModel, platform: ManualPlatform, signal = never): SampledCall {
    return model.begin({ time: new CallTime(platform, 1000), signal, count: { sampled: 0 } });
  }

  test.each(servers)('the time of a call does not run while its server, %s, samples', async (_, make) => {
    const platform = new ManualPlatform();
    let waits: readonly number[] | undefined;
    const sampling: McpSampling = async () => {
      waits = [...platform.waits];
      return { role: 'assistant', content: { type: 'text', text: 'Red.' }, model: 'painter' };
    };
    const { call } = await openServers({ shop: await make() }, { sampling, platform, callTimeout: 77_777 });
    expect(textOf(await call('complete'))).toContain('Red.');
    expect(waits).toBeDefined();
    expect(waits).not.toContain(77_777);
  });

  test('the time of no call runs, and starts again with the answer', async () => {
    const platform = new ManualPlatform();
    const answered = Promise.withResolvers<JsonObject>();
    const model = new AskedModel(() => answered.promise);
    for (let calls = 0; calls < 2; calls++) begin(model, platform);
    const answer = model.ask({}, never);
    expect(platform.waits).toEqual([]);
    answered.resolve({ model: 'painter' });
    expect(await answer).toEqual({ model: 'painter' });
    expect(platform.waits).toEqual([1000, 1000]);
  });

  test('its request ends when the last call has ended, and none is taken then', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const model = new AskedModel((_, signal) => {
      asked.resolve(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const calls = [begin(model, new ManualPlatform()), begin(model, new ManualPlatform())];
    const answer = model.ask({}, never);
    const signal = await asked.promise;
    calls[1]?.end();
    expect(signal.aborted).toBe(false);
    calls[0]?.end();
    await expect(answer).rejects.toThrow('no call of the server runs any more');
    await expect(model.ask({}, never)).rejects.toThrow('no call runs');
  });

  test('a server may ask a hundred times in a call, over all its connections', async () => {
    const model = new AskedModel(async () => ({}));
    const call = begin(model, new ManualPlatform());
    for (let times = 0; times < 100; times++) await model.ask({}, never);
    await expect(model.askFor(call, {}, never)).rejects.toThrow('expected at most 100 of a call');
    call.count.sampled = 0;
    expect(await model.askFor(call, {}, never)).toEqual({});
  });
});
