import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { isConversationError } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { ProxyAgent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { openRemoteConversation, RemoteWorkspace, type ServerRetry } from '../../src/index.ts';
import { Bench, collect, KINDS, NUMBERED } from '../support/bench.ts';
import type { FakeSocket } from '../support/fake-server.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';

const pem = (name: string): string => readFileSync(join(import.meta.dirname, '../support/certificates', name), 'utf8');

const AGENT = { kind: 'Agent', llm: { model: 'fake' } };

async function talk(bench: Bench, workspace: RemoteWorkspace): Promise<string> {
  const conversation = await bench.open({ workspace });
  await conversation.sendMessage('Hello');
  await bench.until(() => bench.server.conversation.listeners.size > 0);
  // no poll: the end is told by the socket alone
  return (await conversation.run({ pollInterval: 1_000_000 })).status;
}

for (const [kind, capabilities] of KINDS) {
  describe(kind, () => {
    test('a server may stand under a path', async () => {
      await using bench = await Bench.start({ capabilities, prefix: '/agents/one' });
      expect(await talk(bench, bench.workspace({ url: `${bench.server.url}/` }))).toBe('finished');
    });

    test('a server may stand behind a proxy, for requests and sockets', async () => {
      await using proxy = await ConnectProxy.start();
      await using bench = await Bench.start({ capabilities });
      const dispatcher = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
      expect(await talk(bench, bench.workspace({ dispatcher, socketAgent: proxy.agent }))).toBe('finished');
      expect(proxy.tunnels).toBeGreaterThanOrEqual(2);
      await dispatcher.destroy();
    });

    test('a server may have a certificate of an authority of its own', async () => {
      const tls = { key: pem('key.pem'), cert: pem('certificate.pem') };
      await using bench = await Bench.start({ capabilities, tls });
      expect(await talk(bench, bench.workspace({ ca: tls.cert }))).toBe('finished');
      const stranger = new RemoteWorkspace({ url: bench.server.url, requests: { requestTimeout: 50 } });
      const refused = await openRemoteConversation({}, { agent: AGENT, workspace: stranger }).catch((e: unknown) => e);
      expect(isConversationError(refused, 'UNREACHABLE')).toBe(true);
    });
  });
}

test('a wrong key is DENIED, and neither key nor secrets are in the error', async () => {
  await using bench = await Bench.start({ apiKey: 'the right one' });
  const denied = bench.open({ workspace: bench.workspace({ apiKey: 'KEY-wrong' }), secrets: { TOKEN: 'VALUE-1' } });
  const error = await denied.catch((reason: unknown) => reason);
  expect(isConversationError(error, 'DENIED')).toBe(true);
  expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toMatch(/KEY-wrong|VALUE-1/);
  expect(JSON.stringify(bench.workspace({ apiKey: 'KEY-wrong' }))).not.toContain('KEY-wrong');
});

test('an error does not hold the parts of a wrong request that the server repeats', async () => {
  await using bench = await Bench.start({
    fault: ({ method, path }) =>
      method === 'POST' && path === '/api/conversations'
        ? { status: 422, body: { detail: [{ loc: ['body', 'secrets'], msg: 'wrong', input: 'VALUE-1' }] } }
        : undefined,
  });
  const error = await bench.open().catch((reason: unknown) => reason);
  expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
  expect(String(error)).toContain('body.secrets: wrong');
  expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain('VALUE-1');
});

test('a server that is not there is UNREACHABLE, with the reason as cause', async () => {
  const bench = await Bench.start();
  await bench.server.stop();
  const workspace = bench.workspace({ requests: { requestTimeout: 30, backoff: { first: 5, most: 10 } } });
  const error = await openRemoteConversation({}, { agent: AGENT, workspace }).catch((reason: unknown) => reason);
  expect(isConversationError(error, 'UNREACHABLE')).toBe(true);
  expect(((error as Error).cause as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
  expect(await workspace.alive()).toBe(false);
});

test('asking if a server is alive leaves no timer behind', async () => {
  await using bench = await Bench.start();
  const platform = new ManualPlatform();
  expect(await bench.workspace({ platform }).alive()).toBe(true);
  expect(platform.waits).toEqual([]);
});

test('an answer that does not match the route rejects SERVER_FAILED', async () => {
  await using bench = await Bench.start({
    fault: ({ path }) => (path.endsWith('/search') ? { status: 200, body: { items: [{ no: 'event' }] } } : undefined),
  });
  const error = await bench.open().catch((reason: unknown) => reason);
  expect(isConversationError(error, 'SERVER_FAILED')).toBe(true);
});

test('aborting the opening rejects with the reason, and later it means nothing', async () => {
  const controller = new AbortController();
  const reason = new Error('changed my mind');
  await using bench = await Bench.start({
    fault: ({ path }) => (path === '/api/conversations' && controller.abort(reason), undefined),
  });
  expect(await bench.open({ signal: controller.signal }).catch((error: unknown) => error)).toBe(reason);
  bench.server.options = {};
  const later = new AbortController();
  const conversation = await bench.open({ signal: later.signal });
  later.abort(reason);
  await conversation.sendMessage('Hello');
});

test('aborting a side question rejects with the reason', async () => {
  const [asked, controller] = [Promise.withResolvers<void>(), new AbortController()];
  await using bench = await Bench.start({
    fault: ({ path }) => {
      if (!path.endsWith('/ask_agent')) return undefined;
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const conversation = await bench.open();
  const answer = conversation.askAgent('What?', { signal: controller.signal }).catch((error: unknown) => error);
  await asked.promise;
  const reason = new Error('never mind');
  controller.abort(reason);
  expect(await answer).toBe(reason);
});

test('close rejects a pending run with CLOSED, and the run continues', async () => {
  const started = Promise.withResolvers<void>();
  await using bench = await Bench.start({ turns: [() => (started.resolve(), new Promise(() => {}))] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const ended = conversation.run().catch((error: unknown) => error);
  await started.promise;
  await conversation.close();
  expect(isConversationError(await ended, 'CLOSED')).toBe(true);
  expect(bench.server.count('POST', /interrupt|pause/)).toBe(0);
});

test('a run that exceeds its timeout rejects TIMEOUT and continues; it can be joined', async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await Bench.start({ turns: [async (one) => (await gate.promise, one.say('Done.'), 'finished')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const error = await conversation.run({ timeout: 30, pollInterval: 10 }).catch((reason: unknown) => reason);
  expect(isConversationError(error, 'TIMEOUT')).toBe(true);
  const busy = await conversation.run().catch((reason: unknown) => reason);
  expect(isConversationError(busy, 'BUSY')).toBe(true);
  const joined = conversation.run({ join: true, pollInterval: 20 });
  gate.resolve();
  expect((await joined).status).toBe('finished');
});

test('a run without a waiting caller is accepted, and subscribers see its status', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const finished = Promise.withResolvers<void>();
  conversation.subscribe({
    onStateChange: ({ executionStatus }) => void (executionStatus === 'finished' && finished.resolve()),
  });
  await conversation.sendMessage('Go');
  expect(await conversation.run({ blocking: false })).toEqual({ status: 'running', iterations: 0 });
  await finished.promise;
});

test('a snapshot of two megabytes is no reason to give a socket up', async () => {
  await using bench = await Bench.start({ turns: [(one) => (one.say('Done.'), 'finished')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  bench.server.conversation.tags = { large: 'x'.repeat(2 * 1024 * 1024) };
  await bench.until(() => bench.server.conversation.listeners.size > 0);
  expect((await conversation.run({ pollInterval: 1_000_000 })).status).toBe('finished');
  expect(bench.server.connections).toBe(1);
});

test.for(['', 'ftp://host', 'http://name:password@host', 'http://host/?key=1', 'http://'])(
  'P13: %j is no address of a server',
  (host) => {
    expect(() => new RemoteWorkspace({ host })).toThrow(/INVALID_INPUT/);
  },
);

test.for([{ persistenceDir: 'conversations' }, { store: {} }, { maxIterations: 0 }, { tags: { 'A b': 'c' } }])(
  'P13: %j is refused before any request',
  async (options) => {
    await using bench = await Bench.start();
    const error = await bench.open(options as never).catch((reason: unknown) => reason);
    expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
    expect(bench.server.requests).toEqual([]);
  },
);

test('opening says what is missing, there already, or of another kind', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const { id } = conversation;
  const codes: unknown[] = [];
  for (const options of [
    { id: crypto.randomUUID(), create: 'never' },
    { id, create: 'must' },
    { id, agent: { kind: 'ACPAgent' } },
    { agent: undefined },
    { id: 'no uuid' },
  ] as const)
    codes.push(await bench.open(options as never).catch((error: { code: unknown }) => error.code));
  expect(codes).toEqual(['NOT_FOUND', 'EXISTS', 'AGENT_MISMATCH', 'AGENT_REQUIRED', 'INVALID_INPUT']);
});

test('a command that no server has begun with is sent again, whatever it is', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  let refusals = 2;
  let headers: Record<string, string> = { 'x-conv-not-begun': 'closing' };
  bench.server.options = {
    ...bench.server.options,
    fault: ({ path }) => {
      if (!path.endsWith('/condense')) return undefined;
      return refusals-- > 0 ? { status: 503, headers } : { status: 200, body: { success: true } };
    },
  };
  await conversation.history.condense();
  expect(bench.server.count('POST', /\/condense$/)).toBe(3);
  refusals = 1;
  headers = {};
  await expect(conversation.history.condense()).rejects.toMatchObject({ code: 'SERVER_FAILED' });
  expect(bench.server.count('POST', /\/condense$/)).toBe(4);
});

test('P9: a server that quotes keys and secrets of a request brings them into no error', async () => {
  const quoted: string[] = [];
  await using bench = await Bench.start({
    fault: ({ method, path }) =>
      method === 'POST' && path === '/api/conversations'
        ? { status: 400, body: { detail: `cannot use ${'x'.repeat(460)} ${quoted.join(' and ')}` } }
        : undefined,
  });
  const llm = { model: 'fake', api_key: 'sk-MODEL-KEY-0123', extra_headers: { 'X-Team': 'HEADER-VALUE-1' } };
  quoted.push(llm.api_key, llm.extra_headers['X-Team'], 'SECRET-VALUE-1');
  const options = { agent: { kind: 'Agent', llm }, secrets: { TOKEN: 'SECRET-VALUE-1' } };
  const error = await bench.open(options).catch((reason: unknown) => reason);
  expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
  expect(String(error)).toContain('cannot use');
  const shown = JSON.stringify([String(error), (error as Error).cause, ((error as Error).cause as Error).message]);
  expect(shown).not.toMatch(/sk-MODEL|HEADER-VALUE|SECRET-VALUE/);
});

test('onRetry tells the reason and the duration of a wait for a server, and the wait continues', async () => {
  const told: ServerRetry[] = [];
  const onRetry = (retry: ServerRetry): void => {
    told.push(retry);
    throw new Error('no interest');
  };
  const nowhere = new RemoteWorkspace({
    url: 'http://127.0.0.1:1',
    requests: { requestTimeout: 500, backoff: { first: 5 }, onRetry },
  });
  const refused = await openRemoteConversation({}, { agent: AGENT, workspace: nowhere }).catch((e: unknown) => e);
  expect(isConversationError(refused, 'UNREACHABLE')).toBe(true);
  expect(told.length).toBeGreaterThan(1);
  expect(told.map(({ attempt }) => attempt)).toEqual(told.map((_, index) => index + 1));
  expect(told[0]?.message).toMatch(/^GET http:\/\/127\.0\.0\.1:1\/server_info: .*ECONNREFUSED/);
});

test('onRecovered is called once when the server answers again', async () => {
  let missing = 3;
  const server = createServer((request, response) => {
    if (missing-- > 0) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const told: string[] = [];
  const workspace = new RemoteWorkspace({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: {
      backoff: { first: 5 },
      onRetry: ({ attempt }) => told.push(`missed ${attempt}`),
      onRecovered: () => {
        told.push('answered');
        throw new Error('no interest');
      },
    },
  });
  const client = workspace.connect();
  onTestFinished(() => client.close());
  for (let request = 0; request < 2; request += 1)
    expect(await client.json({ method: 'GET', path: '/server_info' })).toEqual({});
  expect(told).toEqual(['missed 1', 'missed 2', 'missed 3', 'answered']);
});

/** Starts a server whose answers wait until they are let go. */
async function slowServer(): Promise<{
  readonly url: string;
  readonly asked: () => number;
  readonly letGo: () => void;
}> {
  const waiting: (() => void)[] = [];
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    waiting.push(() => response.end('{}'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => waiting.length,
    letGo: () => waiting.splice(0).forEach((answer) => answer()),
  };
}

test('onRetry reports a server that keeps its connections silent for 5 s, and the request continues', async () => {
  const { url, asked, letGo } = await slowServer();
  const told: (ServerRetry | string)[] = [];
  const platform = new ManualPlatform();
  const workspace = new RemoteWorkspace({
    url,
    platform,
    requests: { onRetry: (retry) => told.push(retry), onRecovered: () => told.push('answered') },
  });
  const client = workspace.connect();
  onTestFinished(() => client.close());
  const answer = client.json({ method: 'GET', path: '/server_info' });
  await platform.untilWaiting(5_000);
  platform.pass(4_999);
  expect(told).toEqual([]);
  platform.pass(1);
  const message = `GET ${url}/server_info: no answer for 5 s`;
  expect(told).toEqual([{ message, attempt: 1, delay: 55_000, left: 55_000 }]);
  while (asked() === 0) await platform.nextTurn();
  letGo();
  expect(await answer).toEqual({});
  expect(told.slice(1)).toEqual(['answered']);
  expect(platform.waits).toEqual([]);
});

test('an answer that comes in time, or may take long, is never told of as late', async () => {
  const { url, asked, letGo } = await slowServer();
  const told: unknown[] = [];
  const platform = new ManualPlatform();
  const requests = { onRetry: (retry: ServerRetry) => told.push(retry), onRecovered: () => told.push('answered') };
  const client = new RemoteWorkspace({ url, platform, requests }).connect();
  onTestFinished(() => client.close());
  for (const [more, wait] of [
    [{}, 4_999],
    [{ timeout: 600_000 }, 60_000],
  ] as const) {
    const answer = client.json({ method: 'GET', path: '/server_info', ...more });
    while (asked() === 0) await platform.nextTurn();
    platform.pass(wait);
    letGo();
    expect(await answer).toEqual({});
  }
  platform.pass(3_600_000);
  expect(told).toEqual([]);
});

test('P11: a follower reports a stopped server within 15 s, and once more when it continues', async () => {
  const told: string[] = [];
  const platform = new ManualPlatform();
  const requests = {
    onRetry: ({ message }: ServerRetry) => told.push(message),
    onRecovered: () => told.push('answered'),
  };
  await using bench = await Bench.start({ capabilities: NUMBERED });
  const conversation = await bench.open({ workspace: bench.workspace({ platform, requests }) });
  const { seen } = collect(conversation);
  await bench.until(() => bench.server.sockets.size === 1);
  // the open and the subscriber each read the log; a request that waits when time passes would be told of as late
  const late = (): number => platform.waits.filter((wait) => wait === 5_000).length - 1;
  await bench.until(() => bench.server.count('GET', /events\/search$/) === 2 && late() === 0);
  const [{ socket }] = [...bench.server.sockets] as [FakeSocket];
  platform.pass(5_000);
  await once(socket, 'ping');
  // comes behind the answer to the ping
  bench.server.conversation.say('Here.');
  await bench.until(() => seen.length === 1);
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<undefined>();
  bench.server.options = { ...bench.server.options, fault: () => goesOn };
  socket.pause();
  const { length: asked } = bench.server.requests;
  platform.pass(5_000);
  platform.pass(4_999);
  await platform.nextTurn();
  expect(bench.server.requests).toHaveLength(asked);
  platform.pass(1);
  await bench.until(() => bench.server.requests.length > asked);
  expect(told).toEqual([]);
  platform.pass(5_000);
  expect(told).toEqual([expect.stringMatching(/: no answer for 5 s$/)]);
  socket.resume();
  goOn(undefined);
  await bench.until(() => told.length > 1);
  bench.server.conversation.say('Still here.');
  await bench.until(() => seen.length === 2);
  expect(told.slice(1)).toEqual(['answered']);
  expect(bench.server.connections).toBe(1);
});

/** Starts a server that gives the same answer to every request. */
async function sameAnswer(status: number, headers: Readonly<Record<string, string>>, body: string): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status, headers).end(body));
  onTestFinished(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [404, 'text/html', '<h1>404</h1>', 'NOT_FOUND', 'found an answer of type text/html'],
  [404, 'application/json', '{"error":"no"}', 'NOT_FOUND', 'found a server without this route'],
  [404, 'application/json', '{"detail":"Not Found"}', 'NOT_FOUND', 'found a server without this route'],
  [200, 'text/html; charset=utf-8', '<html>', 'SERVER_FAILED', 'found an answer of type text/html'],
  [405, 'text/plain', 'no', 'SERVER_FAILED', 'found an answer of type text/plain'],
  [301, 'text/html', '<h1>301</h1>', 'SERVER_FAILED', 'found a redirect to https://elsewhere.example'],
])(
  'a host that answers %i with %s %s to everything is named as no agent server',
  async (status, type, body, code, found) => {
    const headers = { 'content-type': type, ...(status === 301 && { location: 'https://elsewhere.example/?key=1' }) };
    const url = await sameAnswer(status, headers, body);
    const workspace = new RemoteWorkspace({ url });
    onTestFinished(() => workspace.close());
    const says = {
      code,
      message: expect.stringContaining(`expected an agent server at ${url}, ${found}; check`) as string,
    };
    const conversationId = '01234567-89ab-4cde-8f01-23456789abcd';
    for (const asking of [
      () => openRemoteConversation({}, { agent: AGENT, workspace }),
      () => openRemoteConversation({}, { id: conversationId, create: 'never', workspace }),
      () => workspace.serverInfo(),
      () => workspace.executeCommand('true'),
      () => workspace.gitChanges(),
    ])
      await expect(asking()).rejects.toMatchObject(says);
  },
);

test('a server of the first version, which has no description of itself, is taken by its health', async () => {
  await using bench = await Bench.start({
    fault: ({ path }) => (path === '/server_info' ? { status: 404, body: { detail: 'Not Found' } } : undefined),
  });
  expect(await bench.workspace().serverInfo()).toMatchObject({ version: null });
});

test('a client without onRetry warns once of a server that does not answer, but not in alive()', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  const platform = new ManualPlatform();
  const workspace = new RemoteWorkspace({ url: 'http://127.0.0.1:1', platform });
  onTestFinished(() => workspace.close());
  const pass = async (): Promise<void> => {
    for (const delay of [187.5, 375, 750, 1500]) {
      await platform.untilWaiting(delay);
      platform.pass(delay);
    }
  };
  const alive = workspace.alive();
  await pass();
  platform.pass(5_000);
  expect([await alive, warnings]).toEqual([false, []]);
  const enough = new AbortController();
  const asked = workspace.serverInfo({ signal: enough.signal }).catch((error: unknown) => error);
  await pass();
  enough.abort('enough');
  expect(await asked).toBe('enough');
  expect(warnings).toHaveLength(1);
  const [warning] = warnings;
  expect(warning?.name).toBe('ServerWarning');
  expect(warning?.message).toMatch(
    /^GET http:\/\/127\.0\.0\.1:1\/server_info: .*ECONNREFUSED.*; waiting for up to 15 s more$/,
  );
});
