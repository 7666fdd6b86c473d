import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { guardedFetch, type GuardedFetchOptions, isAddressRefusedError, type LookupAddresses } from '../src/index.ts';

interface Receiver {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  /** The number of connections so far. */
  readonly connections: number;
}

/** A server on an address of the loopback network, on which Linux listens to all of 127.0.0.0/8. */
async function receiver(
  address: string,
  { port = 0, answer }: { port?: number; answer?: RequestListener } = {},
): Promise<Receiver> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    if (answer) answer(request, response);
    else response.end(address);
  });
  server.on('connection', () => void connections++);
  await once(server.listen(port, address), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    get connections() {
      return connections;
    },
  };
}

function fetchOf(options?: GuardedFetchOptions): typeof fetch {
  const ask = guardedFetch(options);
  onTestFinished(() => ask.close());
  return ask;
}

const refused = { name: 'AddressRefusedError', code: 'ADDRESS_REFUSED' };
const answers = (...addresses: readonly string[]): LookupAddresses => {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['a name of this machine', 'localhost'],
  ['a name with a dot behind it', 'localhost.'],
  ['127.1', '127.1'],
  ['an address in one number', '2130706433'],
  ['an address in hexadecimal digits', '0x7f000001'],
  ['0.0.0.0', '0.0.0.0'],
  ['[::ffff:127.0.0.1]', '[::ffff:127.0.0.1]'],
])('a request to %s is refused before it connects', async (_, host) => {
  const server = await receiver('127.0.0.1');
  await expect(fetchOf()(`http://${host}:${server.port}/`)).rejects.toMatchObject({ ...refused, port: server.port });
  expect(server.connections).toBe(0);
});

test.each(['http://169.254.169.254/latest/meta-data/', 'https://10.0.0.1/', 'http://[fe80::1]/', 'http://[::1]:8080/'])(
  '%s is refused, and the error says how it can be allowed',
  async (url) => {
    await expect(fetchOf()(url)).rejects.toThrow(/expected an address of the internet.*List the host with its port/);
  },
);

test('a listed address is reached, at the listed port alone', async () => {
  const [listed, other] = [await receiver('127.0.0.1'), await receiver('127.0.0.1')];
  const ask = fetchOf({ hosts: [`127.0.0.1:${listed.port}`] });
  const answer = await ask(`http://127.0.0.1:${listed.port}/x`, { method: 'POST', body: 'sent' });
  expect([answer.status, await answer.text()]).toEqual([200, '127.0.0.1']);
  await expect(ask(`http://127.0.0.1:${other.port}/`)).rejects.toMatchObject(refused);
  expect(other.connections).toBe(0);
});

test('a listed name may lead to this machine', async () => {
  const server = await receiver('127.0.0.1');
  const options = { hosts: [`hooks.internal:${server.port}`], lookup: answers('127.0.0.1') };
  expect((await fetchOf(options)(`http://hooks.internal:${server.port}/`)).status).toBe(200);
  expect(server.requests[0]?.headers.host).toBe(`hooks.internal:${server.port}`);
});

test('a listed name may not lead to a service of a cloud', async () => {
  const options = { hosts: ['hooks.internal'], lookup: answers('169.254.169.254', 'fd00:ec2::254', 'fd00:ec2::23') };
  await expect(fetchOf(options)('http://hooks.internal/')).rejects.toMatchObject(refused);
});

test('a name is looked up once for a connection, which goes to an address that was checked', async () => {
  const allowed = await receiver('127.0.0.2');
  const victim = await receiver('127.0.0.3', { port: allowed.port });
  const replies = [['127.0.0.3', '127.0.0.2'], ['127.0.0.3']];
  const ask = fetchOf({
    hosts: [`127.0.0.2:${allowed.port}`],
    // the second answer leads elsewhere, as that of an attacker's name server
    lookup: async () => (replies.shift() ?? []).map((address) => ({ address, family: 4 })),
  });
  const answer = await ask(`http://rebound.example:${allowed.port}/`);
  expect(await answer.text()).toBe('127.0.0.2');
  expect(replies).toHaveLength(1);
  expect(victim.connections).toBe(0);
});

test('a name that leads elsewhere later is refused at the next connection', async () => {
  const allowed = await receiver('127.0.0.2', { answer: (_, response) => response.end() });
  const victim = await receiver('127.0.0.3', { port: allowed.port });
  const replies = ['127.0.0.2', '127.0.0.3'];
  const ask = fetchOf({
    hosts: [`127.0.0.2:${allowed.port}`],
    lookup: async () => [{ address: replies.shift() ?? '', family: 4 }],
  });
  const url = `http://rebound.example:${allowed.port}/`;
  await (await ask(url, { headers: { connection: 'close' } })).text();
  await expect(ask(url)).rejects.toMatchObject(refused);
  expect(victim.connections).toBe(0);
});

test('a redirect is not followed, whatever the caller asks for', async () => {
  const victim = await receiver('127.0.0.1');
  const answer: RequestListener = (_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${victim.port}/secret` }).end();
  const server = await receiver('127.0.0.1', { answer });
  const ask = fetchOf({ hosts: [`127.0.0.1:${server.port}`, `127.0.0.1:${victim.port}`] });
  for (const redirect of ['follow', 'manual'] as const) {
    const { status, headers } = await ask(`http://127.0.0.1:${server.port}/`, { redirect });
    expect([status, headers.get('location')]).toEqual([307, `http://127.0.0.1:${victim.port}/secret`]);
  }
  await expect(ask(`http://127.0.0.1:${server.port}/`, { redirect: 'error' })).rejects.toThrow(TypeError);
  expect(victim.connections).toBe(0);
});

test('a Request is sent with its method, headers and body', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const answer: RequestListener = (request, response) => {
    request.setEncoding('utf8').once('data', resolve);
    response.writeHead(204).end();
  };
  const server = await receiver('127.0.0.1', { answer });
  const url = `http://127.0.0.1:${server.port}/path`;
  const given = new Request(url, { method: 'PUT', headers: { 'x-it': 'is' }, body: 'the body' });
  expect((await fetchOf({ hosts: [`127.0.0.1:${server.port}`] })(given)).status).toBe(204);
  expect(server.requests[0]).toMatchObject({ method: 'PUT', url: '/path', headers: { 'x-it': 'is' } });
  expect(await promise).toBe('the body');
});

test('an abort and a name that is not found reject as with fetch', async () => {
  const reason = new Error('too late');
  await expect(fetchOf()('http://example.org/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const lookup = async (): Promise<never> => {
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  };
  const error: unknown = await fetchOf({ lookup })('http://example.org/').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'TypeError', cause: { code: 'ENOTFOUND' } });
  expect(isAddressRefusedError(error)).toBe(false);
});

test.each(['file:///etc/passwd', 'data:text/plain,x', 'ftp://example.org/', 'blob:x'])(
  '%s is no URL of a request',
  async (url) => {
    await expect(fetchOf()(url)).rejects.toThrow('expected a URL with http or https');
  },
);

test.each([
  [{ hosts: ['https://example.org'] }, 'guardedFetch: hosts: expected a host such as'],
  [{ hosts: '10.0.0.1' }, 'guardedFetch: hosts: expected a list of hosts, found a string'],
  [{ host: [] }, 'guardedFetch: there is no option "host"; did you mean hosts?'],
])('the options %j are refused by name', (options, message) => {
  expect(() => guardedFetch(options as GuardedFetchOptions)).toThrow(message);
});
