import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { keptPort } from '@conv/testing-harness';
import { describe, expect, onTestFinished, test } from 'vitest';

import { temporaryFolder, textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { eventStore, listen, sessionServer, sessionlessServer } from './support/http-server.ts';
import { everything, openServers, warnings } from './support/open-servers.ts';
import { lines } from './support/processes.ts';

/** The everything server on a free port, over one of its transports. */
async function everythingOver(transport: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await keptPort();
  const { command, args } = everything(transport);
  const server = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  for await (const line of createInterface(server.stderr)) if (line.includes(`port ${port}`)) break;
  return `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
}

describe('the official everything server', () => {
  test.each(['streamableHttp', 'sse'] as const)(
    'the official everything server over %s lists its tools and answers',
    async (transport) => {
      const { names, call } = await openServers({ everything: { url: await everythingOver(transport) } });
      expect(names()).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']));
      expect(textOf(await call('echo', { message: 'hi' }))).toBe('Echo: hi');
      const answers = await Promise.all([1, 2, 3].map((number) => call('get-sum', { a: number, b: 1 })));
      expect(answers.map((answer) => /\d+\.?$/.exec(textOf(answer))?.[0])).toEqual(['2.', '3.', '4.']);
    },
  );
});

describe.each([
  ['with sessions', sessionServer],
  ['without sessions', sessionlessServer],
])('a server %s', (_, start) => {
  test('a server lists all pages and answers', async () => {
    const server = await start();
    const { names, call } = await openServers({ s: { url: server.url } });
    expect(names()).toHaveLength(14);
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  });

  test('P7: a server is told to stop a call that is aborted', async () => {
    const file = join(temporaryFolder(), 'notes');
    const server = await start();
    const { call } = await openServers({ s: { url: server.url } });
    const controller = new AbortController();
    const calling = call('slow', { file }, controller.signal);
    calling.catch(() => undefined);
    await lines(file);
    const reason = new Error('stop');
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
    expect(await lines(file, 2)).toEqual(['started', 'cancelled']);
  });

  test('a server that breaks off a call makes it an error at once, and the next call is answered', async () => {
    const file = join(temporaryFolder(), 'notes');
    const server = await start();
    const { call } = await openServers({ s: { url: server.url } });
    const calling = call('slow', { file });
    await lines(file);
    server.cut();
    const result = await calling;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/did not answer: .*What it did until then is not known\.$/);
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  });

  test('a server that is gone makes calls errors that say so', async () => {
    const server = await start();
    const { call } = await openServers({ s: { url: server.url } });
    await server.stop();
    // the first may still find the old connection
    expect((await call('say', { text: 'hi' })).isError).toBe(true);
    const result = await call('say', { text: 'hi' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/cannot be used now: nothing accepts connections there.*Nothing was done\.$/);
  });

  test('a server that does not know us any more is greeted again', async () => {
    const server = await start();
    const { call } = await openServers({ s: { url: server.url } });
    server.forget();
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  });
});

test('a stream that breaks off and cannot be resumed makes its call an error at once', async () => {
  const file = join(temporaryFolder(), 'notes');
  const server = await sessionServer();
  const { call } = await openServers({ s: { url: server.url } });
  const calling = call('wait', { file });
  await lines(file);
  server.cut();
  const result = await calling;
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    'The MCP server s did not answer: the connection ended before the result came. What it did until then is not known.',
  );
  expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
});

test('a call that runs while another needs a new connection still gets its result', async () => {
  const file = join(temporaryFolder(), 'notes');
  const server = await sessionServer();
  const { call } = await openServers({ s: { url: server.url } });
  const waiting = call('wait', { file });
  await lines(file);
  server.forget();
  expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  server.script.release();
  expect(textOf(await waiting)).toBe('released');
});

describe('a stream that the server lets us resume', () => {
  test('a resumable stream brings the result of a call after its connection broke', async () => {
    const file = join(temporaryFolder(), 'notes');
    const server = await sessionServer(eventStore());
    const { call } = await openServers({ s: { url: server.url } });
    const calling = call('wait', { file });
    await lines(file);
    const before = server.headers.length;
    server.cut();
    while (!server.headers.slice(before).some((headers) => 'last-event-id' in headers))
      await new Promise((resolve) => setImmediate(resolve));
    server.script.release();
    expect(textOf(await calling)).toBe('released');
  });
});

describe('headers', () => {
  const secrets = fakeSecrets({ TOKEN: 'tok-value-1' });
  test.each([
    [{ headers: { 'X-Key': '${TOKEN}' } }, { 'x-key': 'tok-value-1' }],
    [{ auth: { strategy: 'bearer', value: '$TOKEN' } }, { authorization: 'Bearer tok-value-1' }],
    [{ auth: { strategy: 'api_key', value: '$TOKEN' } }, { authorization: 'Bearer tok-value-1' }],
    [{ auth: { strategy: 'api_key', value: 'k', header_name: 'X-Api-Key' } }, { 'x-api-key': 'k' }],
    [
      { auth: { strategy: 'basic', username: 'ann', password: '$TOKEN' } },
      { authorization: `Basic ${btoa('ann:tok-value-1')}` },
    ],
    [{ auth: { strategy: 'header', headers: { 'X-A': '$TOKEN' } } }, { 'x-a': 'tok-value-1' }],
    [
      { headers: { authorization: 'old' }, auth: { strategy: 'bearer', value: 'new' } },
      { authorization: 'Bearer new' },
    ],
    [{ auth: { strategy: 'none' } }, {}],
  ] as const)('headers of %j reach the server with every request', async (config, expected) => {
    const server = await sessionServer();
    const { call } = await openServers({ s: { url: server.url, ...config } }, { secrets });
    await call('say', { text: 'hi' });
    expect(server.headers.length).toBeGreaterThan(3);
    for (const headers of server.headers) expect(headers).toMatchObject(expected);
    expect(server.headers.some((headers) => 'x-conv-call' in headers)).toBe(false);
  });

  test('headers that were parts of the address and stored without a key are named by a warning', async () => {
    const told = warnings();
    const server = await sessionServer();
    await openServers({ s: { url: `${server.url}?token=**********` } });
    expect(await told.next()).toBe('the MCP server s has lost values: url');
  });

  test('headers that were stored without a key are left out, and a warning names them', async () => {
    const told = warnings();
    const server = await sessionServer();
    const headers = { 'X-Lost': null, 'X-Redacted': '**********', 'X-Kept': 'kept' };
    const auth = { strategy: 'bearer', value: '**********' } as const;
    await openServers({ s: { url: server.url, headers, auth } });
    expect(await told.next()).toBe('the MCP server s has lost values: headers.X-Lost, headers.X-Redacted, auth.value');
    expect(server.headers[0]).toMatchObject({ 'x-kept': 'kept' });
    for (const lost of ['x-lost', 'x-redacted', 'authorization']) expect(server.headers[0]).not.toHaveProperty(lost);
  });

  test('headers that HTTP does not allow reject without their values', async () => {
    const error: unknown = await openServers({
      s: { url: 'http://127.0.0.1:9/', headers: { A: 'tok-value-1\n' } },
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONNECT_FAILED', message: expect.stringContaining('HTTP does not allow') });
    expect(String(error)).not.toContain('tok-value');
  });
});

describe('an address that cannot be used', () => {
  const failing = async (url: string, connectTimeout = 100): Promise<unknown> =>
    openServers({ web: { url, auth: { strategy: 'bearer', value: 'tok-value-1' } } }, { connectTimeout }).catch(
      (thrown: unknown) => thrown,
    );

  test.each([
    [401, /HTTP 401; check its auth/],
    [403, /HTTP 403; check its auth/],
    [404, /HTTP 404; check the path/],
    [405, /HTTP 405; check the path/],
    [500, /HTTP 500/],
  ])(
    'an address that answers %i rejects CONNECT_FAILED that says so and shows nothing of the request',
    async (status, message) => {
      const { url } = await listen((request, response) => {
        // a server that shows what it was sent
        response.writeHead(status, { 'content-type': 'text/plain' }).end(JSON.stringify(request.headers));
      });
      const error = await failing(url);
      expect(error).toMatchObject({
        code: 'CONNECT_FAILED',
        servers: ['web'],
        message: expect.stringMatching(message),
      });
      expect(String(error) + JSON.stringify(error)).not.toMatch(/tok-value|127\.0\.0\.1/);
    },
  );

  test('an address where nothing listens rejects CONNECT_FAILED', async () => {
    expect(await failing(`http://127.0.0.1:${await keptPort()}/mcp`)).toMatchObject({
      code: 'CONNECT_FAILED',
      message: expect.stringContaining('nothing accepts connections there'),
    });
  });

  test('an address that is silent rejects TIMEOUT', async () => {
    const { url } = await listen(() => undefined);
    expect(await failing(url, 0.2)).toMatchObject({ code: 'TIMEOUT', servers: ['web'] });
  });

  test.each([
    ['not an address', 'INVALID_CONFIG'],
    ['ftp://example.com/mcp', 'INVALID_CONFIG'],
    ['http://ann:tok-value-1@example.com/mcp', 'CONNECT_FAILED'],
  ])('an address that is %s rejects %s without it', async (url, code) => {
    const error = await failing(url);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain(url);
  });
});
