import { MemoryRegistry, RegistryError } from '@conv/store-kit/registry';
import { expect, test } from 'vitest';

import { trialRecords } from '../../src/logins/login-records.ts';
import type { McpTrialsOptions } from '../../src/logins/trials-options.ts';
import { testCipher } from '../support/test-cipher.ts';
import { startServer, type TestServer } from '../support/test-server.ts';

const START = '/api/mcp/oauth/start';
const ADDRESS = 'http://login.example/authorize?state=s&redirect_uri=http%3A%2F%2F127.0.0.1%2Fmcp%2Fcallback';
const BODY = { server: { url: 'https://shop.example/mcp', auth: { strategy: 'oauth2' } } };

/** A server at which a login is needed at first; `attempts` counts the trials. */
async function serverWith(more: Partial<McpTrialsOptions> = {}) {
  let attempts = 0;
  const registry = new MemoryRegistry();
  const mcpTrials: McpTrialsOptions = {
    attempt: async () => {
      attempts += 1;
      return attempts === 1
        ? { kind: 'login', address: ADDRESS }
        : { kind: 'tools', tools: ['say'], called: undefined };
    },
    login: async () => ({ kind: 'ended' }),
    jobs: trialRecords(registry, testCipher),
    ...more,
  };
  const options = {
    principal: (key: string) => ({ name: key, scopes: ['read', 'run', 'approve', 'admin'] as const }),
    cipher: testCipher,
    logins: { finish: async () => ({ ok: true, message: '' }) },
    mcpTrials,
  };
  const servers = [await startServer(options), await startServer(options)] as const;
  return { servers, attempts: () => attempts };
}

async function begun(server: TestServer): Promise<string> {
  const { body } = await server.call<{ job_id: string }>('POST', START, BODY, { 'x-session-api-key': 'ann' });
  return `/api/mcp/oauth/status/${body.job_id}`;
}

test('P9: a login that a caller has begun is known to no other caller, and to every server of the store', async () => {
  const { servers } = await serverWith();
  const path = await begun(servers[0]);
  const of = (server: TestServer, key: string) => server.call('GET', path, undefined, { 'x-session-api-key': key });
  expect((await of(servers[0], 'bob')).status).toBe(404);
  expect((await of(servers[1], 'ann')).body).toMatchObject({ status: 'succeeded', tools: ['say'] });
});

test('clients that ask at the same time for a login that has ended have the server tried once', async () => {
  const { servers, attempts } = await serverWith();
  const path = await begun(servers[0]);
  const ask = () => servers[0].call('GET', path, undefined, { 'x-session-api-key': 'ann' });
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(new Set(answers.map(({ body }) => body['status']))).toEqual(new Set(['succeeded']));
  expect(attempts()).toBe(2);
});

test.each([
  ['lost', 'took too long'],
  ['failed', 'The login failed: access was denied'],
] as const)('a login that is %s ends the job with the reason', async (kind, text) => {
  const { servers } = await serverWith({ login: async () => ({ kind, reason: 'access was denied' }) as never });
  const path = await begun(servers[0]);
  const { body } = await servers[0].call('GET', path, undefined, { 'x-session-api-key': 'ann' });
  expect(body).toMatchObject({ ok: false, status: 'failed', error: expect.stringContaining(text) as unknown });
});

test('P9: a server whose secret another key encrypted is not tried', async () => {
  const { servers, attempts } = await serverWith();
  const value = testCipher.encrypt('other key: x');
  const asked = { server: { url: 'https://shop.example/mcp', auth: { strategy: 'bearer', value } } };
  const answer = await servers[0].call('POST', '/api/mcp/test', asked, { 'x-session-api-key': 'ann' });
  expect([answer.status, attempts()]).toEqual([422, 0]);
});

test.each([
  [{}, 'url'],
  [{ transport: 'sse', command: 'serve' }, 'url'],
  [{ transport: 'stdio', url: 'https://shop.example/mcp' }, 'command'],
  [{ type: 'stdio' }, 'command'],
  [{ type: 'telepathy', url: 'https://shop.example/mcp' }, 'type'],
])('the server %j is refused for its %s before it is tried', async (wrong, place) => {
  const { servers, attempts } = await serverWith();
  for (const path of ['test', 'oauth/start']) {
    const answer = await servers[0].call('POST', `/api/mcp/${path}`, { server: wrong }, { 'x-session-api-key': 'ann' });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'server', place] }] } });
  }
  expect(attempts()).toBe(0);
});

test('a damaged record of a trial keeps no other login from beginning', async () => {
  const records = trialRecords(new MemoryRegistry(), testCipher);
  const name = '0'.repeat(32);
  await records.replace(name, {}, null);
  const jobs: McpTrialsOptions['jobs'] = {
    ...records,
    get: async (wanted) => {
      if (wanted === name) throw new RegistryError('DAMAGED', `${name}: expected a record`);
      return records.get(wanted);
    },
  };
  const { servers } = await serverWith({ jobs });
  expect(await begun(servers[0])).toMatch(/[\da-f]{32}$/);
});

test('invalid records of trials are refused by their name', async () => {
  const mcpTrials = { attempt: () => undefined, login: () => undefined, jobs: {} } as never;
  await expect(startServer({ mcpTrials })).rejects.toThrow('mcpTrials: jobs');
});

test('trials without logins are refused by their names', async () => {
  const jobs = trialRecords(new MemoryRegistry(), testCipher);
  const mcpTrials = { attempt: () => undefined, login: () => undefined, jobs } as never;
  await expect(startServer({ mcpTrials })).rejects.toThrow('expected logins beside mcpTrials');
});
