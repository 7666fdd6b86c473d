import { MemoryStore } from '@conv/core/store';
import { MemoryRegistry, readEntries, type Registry } from '@conv/store-kit/registry';
import { WebhookReceiver } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { agentServer } from '../../src/plugin.ts';
import { receiverRecords } from '../../src/receivers/receiver-records.ts';
import type { ReceiversOptions } from '../../src/receivers/receivers-options.ts';
import { events, message } from '../support/conversation-calls.ts';
import { cipherOf, testCipher } from '../support/test-cipher.ts';
import { startServer, until, type TestServer, type TestServerOptions } from '../support/test-server.ts';
import { telling } from './telling-protocol.ts';

const OPERATOR = 'key-of-operator';
const TOKEN = 'token-of-the-receiver';

async function startReceiver(): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Parts of servers on one store, and two receivers that they may reach. */
interface Shared {
  readonly store: MemoryStore;
  readonly registry: MemoryRegistry;
  readonly receiver: WebhookReceiver;
  readonly other: WebhookReceiver;
}

async function shared(): Promise<Shared> {
  const [receiver, other] = [await startReceiver(), await startReceiver()];
  return { store: new MemoryStore(), registry: new MemoryRegistry(), receiver, other };
}

/** A server that loses no time. */
function serverWith(
  { store, registry, receiver, other }: Shared,
  {
    people = {},
    receivers,
    ...more
  }: Omit<TestServerOptions, 'receivers'> & {
    readonly people?: Readonly<Record<string, Principal>>;
    readonly receivers?: Partial<ReceiversOptions>;
  } = {},
): Promise<TestServer> {
  return startServer({
    store,
    turns: Array.from({ length: 9 }, () => ({ text: 'done' })),
    cipher: testCipher,
    sessionKeys: [OPERATOR],
    principal: (key) => people[key],
    protocols: [telling()],
    receivers: {
      registry,
      hosts: [receiver, other].map(({ port }) => `127.0.0.1:${port}`),
      scanInterval: 20,
      timeout: 1000,
      backoff: { first: 5, most: 20 },
      ...receivers,
    },
    ...more,
  });
}

const by = (key: string): Record<string, string> => ({ 'x-session-api-key': key });

/** A server that is asked with one key. */
function asked(server: TestServer, key = OPERATOR): TestServer {
  return { ...server, call: (method, path, body) => server.call(method, path, body, by(key)) };
}

async function make(server: TestServer): Promise<string> {
  const working = { workspace: { working_dir: `${server.folder}/work` } };
  const agent = { kind: 'Agent', llm: { model: 'scripted', api_key: 'sk-plain-0123456789' }, tools: [] };
  const { body } = await asked(server).call('POST', '/api/conversations', { agent, ...working });
  return body['id'] as string;
}

async function name(server: TestServer, place: string, { url }: Pick<WebhookReceiver, 'url'>, key = OPERATOR) {
  return (await asked(server, key).call('POST', `/tells/${place}`, { url, token: TOKEN })).status;
}

async function run(server: TestServer, id: string): Promise<void> {
  await asked(server).call('POST', `/api/conversations/${id}/events`, message('hello', { run: true }));
  const info = async () => (await asked(server).call('GET', `/api/conversations/${id}`)).body;
  await until(async () => (await info())['execution_status'] === 'finished');
}

/** A server, and a conversation of it for which ann, who may read alone, has named a receiver. A test changes what ann may do. */
async function namedByAnn() {
  const parts = await shared();
  const { receiver } = parts;
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ['read'] } };
  const server = await serverWith(parts, { people });
  const id = await make(server);
  expect(await name(server, `${id}/one`, receiver, 'ann')).toBe(200);
  return { parts, receiver, people, server, id };
}

/** Runs a conversation, and resolves when a receiver that the operator named was told of it. */
async function toldToOperator(server: TestServer, id: string, { other }: Shared): Promise<void> {
  await name(server, `${id}/operator`, other);
  await run(server, id);
  await other.until(() => other.taken.some(({ body }) => body.includes('MessageEvent')));
}

/** Resolves when nothing is stored of any receiver. */
async function forgotten(registry: Registry): Promise<void> {
  const left = async (): Promise<number> =>
    (await registry.marks('receivers')).size + (await registry.marks('webhooks')).size;
  await until(async () => (await left()) === 0);
}

async function logOf(server: TestServer, id: string): Promise<readonly string[]> {
  return (await events(asked(server), id)).map(({ kind }, at) => `${at} ${kind}`);
}

test('P4: the server that is left tells a receiver the whole log in order, and then forgets the receiver', async () => {
  const parts = await shared();
  const { receiver } = parts;
  const first = await serverWith(parts);
  receiver.answer = () => 503;
  const id = await make(first);
  expect(await name(first, `${id}/one`, receiver)).toBe(200);
  await run(first, id);
  const log = await logOf(first, id);
  await receiver.until(() => receiver.received.length > 1);
  await first.close();
  receiver.answer = () => 204;
  await serverWith(parts);
  await receiver.until(() => receiver.taken.length >= log.length);
  await forgotten(parts.registry);
  expect(receiver.taken.map(({ body }) => body)).toEqual(log);
  expect(new Set(receiver.taken.map(({ headers }) => headers.authorization))).toEqual(new Set([TOKEN]));
});

test('P4: a server tells what happens at another one, and both together tell it once', async () => {
  const parts = await shared();
  const { receiver } = parts;
  const [first] = [await serverWith(parts), await serverWith(parts)];
  const id = await make(first);
  await name(first, `${id}/one`, receiver);
  await run(first, id);
  await forgotten(parts.registry);
  expect(receiver.taken.map(({ body }) => body)).toEqual(await logOf(first, id));
});

test('P9: the registry has no address, no key and no client key of a receiver in plain text', async () => {
  const parts = await shared();
  const { receiver } = parts;
  receiver.answer = () => 503;
  const people = { ann: { name: 'ann', scopes: ['read', 'run'] } } as const;
  const server = await serverWith(parts, { people, cipher: cipherOf('newest', 'older') });
  const id = await make(server);
  expect(await name(server, `${id}/one`, receiver, 'ann')).toBe(200);
  const stored = JSON.stringify(await Array.fromAsync(readEntries(parts.registry, 'receivers')));
  expect(stored).toContain('encrypted');
  for (const text of [TOKEN, receiver.url, OPERATOR]) expect(stored).not.toContain(text);
  expect((await asked(server).call('GET', `/tells/${id}`)).body).toEqual([
    { id: 'one', value: { url: receiver.url, token: TOKEN } },
  ]);
  await receiverRecords(parts.registry, cipherOf('even newer', 'newest')).renew((error) => expect.fail(String(error)));
  expect(await receiverRecords(parts.registry, cipherOf('even newer')).names()).toHaveLength(1);
});

test('two servers together store no more receivers than there may be', async () => {
  const parts = await shared();
  const { receiver } = parts;
  const servers = [await serverWith(parts), await serverWith(parts)];
  const id = await make(servers[0] as TestServer);
  const named = [0, 1, 2, 3, 4, 5].map((at) => name(servers[at % 2] as TestServer, `${id}/r${at}`, receiver));
  expect((await Promise.all(named)).toSorted((one, other) => one - other)).toEqual([200, 200, 429, 429, 429, 429]);
});

test('P10: a receiver is told nothing while the key of its client is void, and goes on when it is valid', async () => {
  const { parts, receiver, people, server, id } = await namedByAnn();
  delete people['ann'];
  await toldToOperator(server, id, parts);
  expect(receiver.received).toEqual([]);
  people['ann'] = { name: 'ann', scopes: ['read'] };
  await run(server, id);
  const log = await logOf(server, id);
  await receiver.until(() => receiver.taken.length >= log.length);
});

test('P10: a receiver of a client that may not know the conversation any more is told nothing', async () => {
  const { parts, receiver, people, server, id } = await namedByAnn();
  people['ann'] = { name: 'ann', scopes: ['read'], limits: { own: true } };
  await toldToOperator(server, id, parts);
  expect(receiver.received).toEqual([]);
});

test('a receiver that was removed or replaced, and one of a deleted conversation, leaves nothing', async () => {
  const parts = await shared();
  const { receiver } = parts;
  const server = await serverWith(parts);
  const [one, two] = [await make(server), await make(server)];
  receiver.answer = () => 503;
  await run(server, one);
  await name(server, `${one}/a`, receiver);
  await name(server, `${one}/a`, receiver);
  await name(server, `${two}/b`, receiver);
  expect((await asked(server).call('GET', `/tells/${one}`)).body).toHaveLength(1);
  await asked(server).call('DELETE', `/tells/${one}/a`);
  await asked(server).call('DELETE', `/api/conversations/${two}`);
  await forgotten(parts.registry);
});

test('no receiver of this machine is reached that is not listed', async () => {
  const parts = await shared();
  const { receiver } = parts;
  const server = await serverWith(parts, { receivers: { hosts: [] } });
  const id = await make(server);
  await run(server, id);
  expect(await name(server, `${id}/one`, receiver)).toBe(200);
  const refused = await until(async () => server.reported.find(({ doing }) => doing.includes('receiver')));
  expect(JSON.stringify(refused)).not.toContain(TOKEN);
  expect(receiver.received).toEqual([]);
});

test('a server without the option gives a protocol no receivers, and one without a cipher is refused', async () => {
  const registry = new MemoryRegistry();
  const server = await startServer({ protocols: [telling()] });
  expect((await server.call('GET', '/tells/x')).status).toBe(409);
  const base = { store: new MemoryStore(), persistenceDir: '/nowhere', agents: { revive: async () => undefined } };
  expect(() => agentServer({ ...base, receivers: { registry } })).toThrow('expected cipher beside receivers');
  const options = { ...base, cipher: testCipher, receivers: { registry }, readOnly: 'looked at' };
  expect(() => agentServer(options)).toThrow('expected readOnly or receivers');
});
