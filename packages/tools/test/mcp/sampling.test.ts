import { defineTool, text, type JsonObject } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { McpSampling } from '../../src/index.ts';
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
