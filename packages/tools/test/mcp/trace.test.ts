import { expect, test } from 'vitest';

import { mcpServers } from '../../src/index.ts';
import { textOf } from '../open-tool.ts';
import { sessionlessServer, sessionServer } from './support/http-server.ts';
import { openServers } from './support/open-servers.ts';
import { tool } from './support/scripted-server.ts';
import { taskServer } from './support/task-server.ts';

const TRACE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'vendor=1' };

test.each([
  ['with sessions', sessionServer],
  ['without sessions', sessionlessServer],
] as const)('each call at a server %s sends the trace of its moment, and nothing else', async (_, start) => {
  const server = await start();
  server.script.tools = [tool('trace')];
  let now: Record<string, string> = { ...TRACE, authorization: 'Bearer x' };
  const { call } = await openServers({ shop: { url: server.url } }, { trace: () => now });
  const metaOf = async (): Promise<unknown> => JSON.parse(textOf(await call('trace')));
  expect(await metaOf()).toMatchObject(TRACE);
  expect(await metaOf()).not.toHaveProperty('authorization');
  now = {};
  expect(await metaOf()).not.toHaveProperty('traceparent');
});

test('a call that runs as a task sends the trace', async () => {
  const server = await taskServer();
  server.finish();
  const handles = { get: () => undefined, keep: async () => undefined };
  const { call } = await openServers({ lab: { url: server.url } }, { handles, trace: () => TRACE });
  expect(textOf(await call('research'))).toBe('found completed');
  expect(server.metas).toMatchObject([TRACE]);
});

test('a trace that is no function is refused by its name', () => {
  expect(() => mcpServers({}, { trace: TRACE as never })).toThrow('mcpServers: trace: expected a function');
});
