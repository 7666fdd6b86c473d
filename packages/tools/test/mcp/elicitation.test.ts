import { defineTool, type JsonObject, type Tool } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { textOf } from '../open-tool.ts';
import { sessionlessServer, sessionServer } from './support/http-server.ts';
import { everything, openServers, scripted, type McpFixture } from './support/open-servers.ts';

const servers = [
  ['a process', async () => scripted()],
  ['an address with sessions', async () => ({ url: (await sessionServer()).url })],
  ['an address without sessions', async () => ({ url: (await sessionlessServer()).url })],
] as const;

const ACCEPTED = '{"action":"accept","content":{"name":"Ann"}}';

/** A tool as a conversation has it, and the questions that it was asked. */
function asking(answer: () => string | Promise<string>): { readonly tool: Tool; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const tool = defineTool({
    name: 'ask_user',
    description: 'Asks the user.',
    input: z.object({
      question: z.string(),
      from: z.string(),
      fields: z.record(z.string(), z.json()).optional(),
      url: z.string().optional(),
    }),
    execute: async (input, { toolCallId }) => {
      asked.push({ toolCallId, ...input });
      return answer();
    },
  });
  return { tool, asked };
}

function open(server: McpServer, tool: Tool, more: object = {}): Promise<McpFixture> {
  return openServers({ shop: server }, { ownTools: [tool], ...more });
}

type McpServer = Parameters<typeof openServers>[0][string];

describe('a question of a server to the user', () => {
  test.each(servers)(
    'a question of %s is asked beside its call, and the answer reaches the server',
    async (_, make) => {
      const { tool, asked } = asking(() => ACCEPTED);
      const { call } = await open(await make(), tool);
      expect(textOf(await call('ask'))).toBe(`heard ${ACCEPTED}`);
      const fields = expect.objectContaining({ required: ['name'] }) as unknown;
      expect(asked).toEqual([{ toolCallId: 'call_ask_1', question: 'For whom?', from: 'shop', fields }]);
    },
  );

  test.each(['decline', 'cancel'])('a question of an address takes the answer to %s', async (action) => {
    const { tool } = asking(() => JSON.stringify({ action }));
    const { call } = await open({ url: (await sessionServer()).url }, tool);
    expect(textOf(await call('ask'))).toBe(`heard {"action":"${action}"}`);
  });

  test.each(servers)('a question of %s for an address shows the address', async (_, make) => {
    const { tool, asked } = asking(() => '{"action":"accept"}');
    const { call } = await open(await make(), tool);
    expect(textOf(await call('open'))).toBe('page: accept');
    expect(asked).toMatchObject([{ question: 'Pay there.', url: 'https://pay.example.com/7' }]);
  });

  test('a question of an error stands beside the call that demands it, whatever else runs', async () => {
    const server = await sessionServer();
    const { tool, asked } = asking(() => '{"action":"accept"}');
    const { tool: toolOf, session } = await open({ url: server.url }, tool);
    const signal = new AbortController().signal;
    const begin = (name: string, input: JsonObject): ReturnType<Tool['execute']> =>
      toolOf(name).execute(input, { ...session, signal, toolCallId: name });
    const demanding = begin('demand', { times: 1 });
    const waits = begin('wait', {});
    expect(textOf(await demanding)).toBe('opened 1 times');
    server.script.release();
    await waits;
    expect(asked).toMatchObject([{ toolCallId: 'demand_ask_1', url: 'https://pay.example.com/7' }]);
  });

  test('P12: a question of an error ends the call when it is asked too often', async () => {
    const { tool, asked } = asking(() => '{"action":"accept"}');
    const { call } = await open(scripted(), tool);
    expect(textOf(await call('demand', { times: 1000 }))).toContain('at most 20 questions of a call, found 21');
    expect(asked).toHaveLength(20);
  });

  test('a question of the official server is asked, with all its fields', async () => {
    const { tool, asked } = asking(() => ACCEPTED);
    const { call, names, changed } = await open(everything(), tool);
    while (!names().includes('trigger-elicitation-request')) await changed();
    expect(textOf(await call('trigger-elicitation-request'))).toContain('- Name: Ann');
    expect(asked).toMatchObject([{ fields: { properties: { check: { type: 'boolean' } } } }]);
  });

  test('P5: a question of a 2026-07-28 server is asked between requests, and another process has the answer', async () => {
    const server = await sessionlessServer();
    const known: Record<string, JsonObject> = {};
    const kept: JsonObject[] = [];
    const handles = {
      get: (id: string): JsonObject | undefined => known[id],
      keep: async (id: string, handle: JsonObject) => {
        kept.push(handle);
        known[id] = handle;
      },
    };
    const begun = Promise.withResolvers<void>();
    const before = asking(() => {
      begun.resolve();
      return new Promise<string>(() => {});
    });
    const first = await open({ url: server.url }, before.tool, { handles });
    const stop = new AbortController();
    const lost = first.call('ask', {}, stop.signal);
    await begun.promise;
    stop.abort(new Error('the process ended'));
    await expect(lost).rejects.toThrow('the process ended');
    const { tool, asked } = asking(() => ACCEPTED);
    const second = await open({ url: server.url }, tool, { handles });
    expect(textOf(await second.call('ask'))).toContain('heard {"action":"accept","content":{"name":"Ann"');
    expect(asked).toMatchObject([{ toolCallId: 'call_ask_1' }]);
    expect(kept).toEqual([{ mcp_input: expect.objectContaining({ asked: 0, state: 'order-7' }) }, {}]);
  });

  test('a question to the user ends with its call', async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const { tool } = asking(() => {
      begun.resolve();
      return new Promise<string>(() => {});
    });
    const { call } = await open(scripted(), tool);
    const called = call('ask', {}, stop.signal);
    await begun.promise;
    stop.abort(new Error('stop'));
    await expect(called).rejects.toThrow('stop');
  });

  test('a question is refused by its name in a conversation that cannot be asked in', async () => {
    const { call } = await openServers({ shop: scripted() });
    expect(textOf(await call('request', { method: 'elicitation/create' }))).toContain(
      'elicitation/create is refused: no person can be asked in this conversation',
    );
  });
});
