import { systemPlatform, type Platform } from '@conv/core/platform';
import { defineTool, type JsonObject, type ToolSession } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { textOf } from '../open-tool.ts';
import { openServers } from './support/open-servers.ts';
import { taskServer, type Trouble } from './support/task-server.ts';

const TROUBLES: readonly Trouble[] = ['session', 'gateway', 'connection', 'tasks'];

/** A platform whose timers are a thousand times as fast, so that an hour takes seconds. */
const fast: Platform = {
  ...systemPlatform,
  setTimer: (milliseconds, work, options) => systemPlatform.setTimer(milliseconds / 1000, work, options),
};
// as long as usual with these timers
const usual = { platform: fast, connectTimeout: 30_000, callTimeout: 300_000 };

function handlesOf(known: Record<string, JsonObject> = {}): {
  readonly handles: NonNullable<ToolSession['handles']>;
  readonly kept: Promise<void>;
} {
  const { promise: kept, resolve } = Promise.withResolvers<void>();
  const keep = async (call: string, handle: JsonObject): Promise<void> => {
    known[call] = handle;
    resolve();
  };
  return { handles: { get: (call) => known[call], keep }, kept };
}

function asking(answer: (toolCallId: string) => Promise<string>): NonNullable<ToolSession['ownTools']> {
  const input = z.object({
    question: z.string(),
    from: z.string(),
    fields: z.record(z.string(), z.json()).optional(),
    url: z.string().optional(),
  });
  const execute = (_: unknown, { toolCallId }: { toolCallId: string }): Promise<string> => answer(toolCallId);
  return [defineTool({ name: 'ask_user', description: 'Asks.', input, execute })];
}

describe('a task whose server', () => {
  test.each(TROUBLES)(
    'P5: a task whose server fails once (%s) is asked for again, and is not started again',
    async (trouble) => {
      const server = await taskServer();
      const { handles, kept } = handlesOf();
      const { call } = await openServers({ lab: { url: server.url } }, { handles });
      const called = call('research');
      await kept;
      server.fail(trouble);
      server.finish();
      expect(textOf(await called)).toBe('found completed');
      expect(server.requests).toEqual(['call', 'result']);
      expect(server.failures).toEqual([trouble]);
    },
  );

  test.each(TROUBLES)(
    'P5: a task whose server fails (%s) when the next process asks is asked again',
    async (trouble) => {
      const server = await taskServer();
      const known: Record<string, JsonObject> = {};
      const first = handlesOf(known);
      const { call } = await openServers({ lab: { url: server.url } }, { handles: first.handles });
      const stop = new AbortController();
      const called = call('research', {}, stop.signal);
      await first.kept;
      stop.abort(new Error('the process ended'));
      await expect(called).rejects.toThrow('the process ended');
      const second = await openServers({ lab: { url: server.url } }, { handles: handlesOf(known).handles });
      server.fail(trouble);
      server.finish();
      expect(textOf(await second.call('research'))).toBe('found completed');
      expect(server.requests).toEqual(['call', 'result']);
      expect(server.failures).toEqual([trouble]);
    },
  );

  test('P5: a task whose server is gone for an hour has an unknown outcome', async () => {
    const server = await taskServer();
    const { handles, kept } = handlesOf();
    const { tool, session } = await openServers({ lab: { url: server.url } }, { handles, ...usual });
    const shown: string[] = [];
    const context = { ...session, toolCallId: 'call', signal: new AbortController().signal };
    const called = tool('research').execute({}, { ...context, onOutput: (text) => void shown.push(text) });
    await kept;
    await server.stop();
    expect(textOf(await called)).toContain('What it did until then is not known.');
    expect(server.requests).toEqual(['call']);
    expect(shown.slice(1)).toEqual([
      expect.stringMatching(/^The task cannot be asked for now: .* It is tried again\.\n$/),
    ]);
  });

  test.each([
    ['has ended', false],
    ['needs the user', true],
  ])(
    'P5: a task whose server says that it %s, and always refuses its result, has an unknown outcome',
    async (_, asks) => {
      const server = await taskServer({ asks, refuses: 502 });
      const { handles, kept } = handlesOf();
      const ownTools = asking(async () => '{"action":"cancel"}');
      const { call } = await openServers({ lab: { url: server.url } }, { handles, ownTools, ...usual });
      const called = call('research');
      await kept;
      if (!asks) server.finish();
      expect(textOf(await called)).toContain('What it did until then is not known.');
      expect(server.requests).toEqual(['call', ...Array.from({ length: 60 }, () => 'result')]);
    },
  );
});

describe('a task that asks the user', () => {
  test('a task asks the user in the stream of its result', async () => {
    const server = await taskServer({ asks: true });
    const ownTools = asking(async () => '{"action":"accept","content":{"deep":true}}');
    const { call } = await openServers({ lab: { url: server.url } }, { handles: handlesOf().handles, ownTools });
    expect(textOf(await call('research'))).toBe('found completed');
    expect(server.requests).toEqual(['call', 'result']);
  });

  test('a task has its result when the stream broke while the user was asked', async () => {
    const server = await taskServer({ asks: true });
    let times = 0;
    const ownTools = asking(async () => {
      times += 1;
      if (times === 1) server.cut();
      return '{"action":"accept","content":{"deep":true}}';
    });
    const { call } = await openServers({ lab: { url: server.url } }, { handles: handlesOf().handles, ownTools });
    expect(textOf(await call('research'))).toBe('found completed');
  });

  test('a task repeats its question when the stream broke before the answer, and asks no other one', async () => {
    const server = await taskServer({ asks: true });
    const asked: string[] = [];
    const ownTools = asking((id) => {
      asked.push(id);
      if (asked.length > 1) return Promise.resolve('{"action":"accept","content":{"deep":true}}');
      server.cut();
      return new Promise(() => {});
    });
    const { call } = await openServers({ lab: { url: server.url } }, { handles: handlesOf().handles, ownTools });
    expect(textOf(await call('research'))).toBe('found completed');
    expect(asked).toEqual(['call_ask_1', 'call_ask_1']);
  });

  test('a task has its result when it ended without the answer, and a failed look changes nothing', async () => {
    const server = await taskServer({ asks: true });
    const ownTools = asking(() => {
      server.fail('gateway');
      server.finish();
      return new Promise(() => {});
    });
    const { call } = await openServers({ lab: { url: server.url } }, { handles: handlesOf().handles, ownTools });
    expect(textOf(await call('research'))).toBe('found completed');
    expect(server.requests).toEqual(['call', 'result', 'result']);
    expect(server.failures).toEqual(['gateway']);
  });
});
