import { type JsonObject, type ToolSession } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { textOf } from '../open-tool.ts';
import { everything, openServers } from './support/open-servers.ts';
import { taskServer } from './support/task-server.ts';

type Handles = NonNullable<ToolSession['handles']>;

/** Handles as a conversation keeps them; `kept` resolves with the first. */
function handlesOf(known: Record<string, JsonObject> = {}): Handles & { readonly kept: Promise<JsonObject> } {
  const { promise: kept, resolve } = Promise.withResolvers<JsonObject>();
  return {
    kept,
    get: (call) => known[call],
    keep: async (call, handle) => {
      known[call] = handle;
      resolve(handle);
    },
  };
}

describe('a tool that runs as a task', () => {
  test('P5: a task has its handle in the log before its result is waited for', async () => {
    const server = await taskServer();
    const handles = handlesOf();
    const { call } = await openServers({ lab: { url: server.url } }, { handles });
    const called = call('research');
    expect(await handles.kept).toEqual({ mcp_task: { server: 'lab', id: expect.any(String), process: false } });
    expect(server.requests).toEqual(['call']);
    server.finish();
    expect(textOf(await called)).toBe('found completed');
  });

  test('a task shows what the server says about it as output, once', async () => {
    const server = await taskServer();
    const handles = handlesOf();
    const { tool, session } = await openServers({ lab: { url: server.url } }, { handles });
    const shown: string[] = [];
    const context = { ...session, toolCallId: 'call', signal: new AbortController().signal };
    const called = tool('research').execute({}, { ...context, onOutput: (text) => void shown.push(text) });
    await handles.kept;
    server.finish();
    await called;
    expect(shown).toEqual(['Reading\n']);
  });

  test('P5: a task is asked for its result by another process, and is not started again', async () => {
    const server = await taskServer();
    const known: Record<string, JsonObject> = {};
    const handles = handlesOf(known);
    const first = await openServers({ lab: { url: server.url } }, { handles });
    const stop = new AbortController();
    const called = first.call('research', {}, stop.signal);
    await handles.kept;
    stop.abort(new Error('the process ended'));
    await expect(called).rejects.toThrow('the process ended');
    await first.provided.close();
    // the handle stays, so the task is left to the next process
    expect(server.requests).toEqual(['call']);
    const second = await openServers({ lab: { url: server.url } }, { handles: handlesOf(known) });
    server.finish();
    expect(textOf(await second.call('research'))).toBe('found completed');
    expect(server.requests).toEqual(['call', 'result']);
  });

  test('a task is cancelled at its server when the log says that its call has ended, however late', async () => {
    const server = await taskServer();
    const known: Record<string, JsonObject> = {};
    const { promise: lookedAtTwice, resolve } = Promise.withResolvers<void>();
    const handles = handlesOf(known);
    const stop = new AbortController();
    let looks = 0;
    const get = (call: string): JsonObject | undefined => {
      if (stop.signal.aborted && ++looks === 2) resolve();
      return known[call];
    };
    const { call } = await openServers({ lab: { url: server.url } }, { handles: { ...handles, get } });
    const called = call('research', {}, stop.signal);
    await handles.kept;
    stop.abort(new Error('interrupted'));
    await expect(called).rejects.toThrow('interrupted');
    await lookedAtTwice;
    expect(server.requests).toEqual(['call']);
    delete known['call'];
    await expect.poll(() => server.requests).toEqual(['call', 'cancel']);
  });

  test('a task is cancelled at its server before its conversation is closed', async () => {
    const server = await taskServer();
    const known: Record<string, JsonObject> = {};
    const handles = handlesOf(known);
    const { call, provided } = await openServers({ lab: { url: server.url } }, { handles });
    const stop = new AbortController();
    const called = call('research', {}, stop.signal);
    await handles.kept;
    stop.abort(new Error('interrupted'));
    await expect(called).rejects.toThrow('interrupted');
    delete known['call'];
    await provided.close();
    expect(server.requests).toEqual(['call', 'cancel']);
  });

  test('P5: a task that its server does not know any more has an unknown outcome', async () => {
    const server = await taskServer();
    const handles = handlesOf({ call: { mcp_task: { server: 'lab', id: 'gone', process: false } } });
    const { call } = await openServers({ lab: { url: server.url } }, { handles });
    const result = await call('research');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('it does not know the task any more. What it did until then is not known.');
    expect(server.requests).toEqual([]);
  });

  test('P5: a task of another server has an unknown outcome, and this server is asked nothing', async () => {
    const server = await taskServer();
    const handles = handlesOf({ call: { mcp_task: { server: 'old', id: 'one', process: false } } });
    const { call } = await openServers({ lab: { url: server.url } }, { handles });
    expect(textOf(await call('research'))).toContain('the task belongs to the server old');
    expect(server.requests).toEqual([]);
  });

  test('P5: a task of a process of an earlier program has an unknown outcome', async () => {
    const handles = handlesOf({ call: { mcp_task: { server: 'lab', id: 'gone', process: true } } });
    const { call } = await openServers({ lab: everything() }, { handles });
    expect(textOf(await call('echo', { message: 'x' }))).toContain(
      'its process has ended with the program, and the task with it. What it did until then is not known.',
    );
  });

  test('a tool runs without a task where its server may choose and no handle is kept', async () => {
    const server = await taskServer();
    const { call } = await openServers({ lab: { url: server.url } });
    expect(textOf(await call('research'))).toBe('without a task');
  });

  test('a task of the official server is waited for, without handles too', async () => {
    const { call, names, changed } = await openServers({ lab: everything() });
    while (!names().includes('simulate-research-query')) await changed();
    expect(textOf(await call('simulate-research-query', { topic: 'frogs' }))).toContain('# Research Report: frogs');
  });
});
