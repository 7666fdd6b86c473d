import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { leaks } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { McpConfig } from '../../src/index.ts';
import { temporaryFolder } from '../open-tool.ts';
import { sessionServer, sessionlessServer } from './support/http-server.ts';
import { openServers, scripted } from './support/open-servers.ts';
import { lines } from './support/processes.ts';

/** Uses of MCP servers, by what becomes of them. */
const servers: Readonly<Record<string, (signal: AbortSignal, web: McpConfig) => Promise<unknown>>> = {
  'were called and closed': async (signal, web) => {
    const { call, provided } = await openServers({ ...web, three: scripted() }, { signal });
    for (const name of ['one', 'two', 'three']) await call(`${name}_say`, { text: 'hi' }, signal);
    await Promise.allSettled([call('three_give', { what: 'nothing' }, signal)]);
    await provided.close();
  },
  'died in a call and were started again': async (signal) => {
    const { call, provided } = await openServers({ s: scripted() }, { signal });
    await call('crash', {}, signal);
    await call('say', { text: 'hi' }, signal);
    await provided.close();
  },
  'were left in a call': async (signal) => {
    const file = join(temporaryFolder(), 'said');
    const { call, provided } = await openServers({ s: scripted() }, { signal });
    const interrupt = new AbortController();
    const calling = call('slow', { file }, interrupt.signal);
    await lines(file);
    interrupt.abort(new Error('stop'));
    await Promise.allSettled([calling]);
    await provided.close();
  },
  'do not start, beside one that does': (signal) => refused({ s: scripted('dies'), t: scripted() }, { signal }),
  'are not there': (signal) =>
    refused({ s: { command: '/not/there' }, t: { url: 'http://127.0.0.1:1/mcp' } }, { signal }),
  'say nothing': (signal) => refused({ s: scripted('silent') }, { signal, connectTimeout: 0.2 }),
  'were given up while they were asked': async () => {
    const file = join(temporaryFolder(), randomUUID());
    const controller = new AbortController();
    const opening = refused({ s: scripted('silent', file), t: scripted() }, { signal: controller.signal });
    await lines(file);
    controller.abort(new Error('stop'));
    await opening;
  },
};

async function refused(config: McpConfig, more: Parameters<typeof openServers>[1]): Promise<void> {
  await expect(openServers(config, more)).rejects.toThrow(/MCP|stop/);
}

test.each(Object.entries(servers))('nothing is held of MCP servers that %s', async (_, use) => {
  const web = { one: { url: (await sessionServer()).url }, two: { url: (await sessionlessServer()).url } };
  expect(await leaks((signal) => use(signal, web))).toEqual({});
});
