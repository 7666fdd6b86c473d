import { randomUUID } from 'node:crypto';

import type { Conversation, JsonObject, ReadonlyState } from '@conv/core';
import { drafts } from '@conv/core/events';
import { MemoryStore, toEventIndex } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { only, StreamingAgent } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import type { HostedConversation } from '../../src/hosting/hosted-conversation.ts';
import {
  newConversation,
  startServer,
  until,
  type TestServer,
  type TestServerOptions,
} from '../support/test-server.ts';
import { echoTool, waitingTool } from '../support/waiting-tool.ts';
import { UsingProtocol } from './using-protocol.ts';

const OPERATOR = 'key-of-operator';
const ALL = ['read', 'run', 'approve', 'admin'] as const;

interface Used {
  readonly server: TestServer;
  readonly id: string;
  /** The number of sockets that were opened. */
  readonly sockets: () => number;
  readonly use: <T>(work: (conversation: Conversation) => Promise<T>, key?: string) => Promise<T>;
  /** The same for another conversation. */
  readonly of: <T>(id: string, work: (conversation: Conversation) => Promise<T>) => Promise<T>;
}

/** A server whose protocol uses a conversation by functions of the test. */
async function used({
  people = {},
  start = {},
  ...options
}: TestServerOptions & {
  readonly people?: Readonly<Record<string, Principal>>;
  readonly start?: JsonObject;
} = {}): Promise<Used> {
  const protocol = new UsingProtocol();
  let sockets = 0;
  const server = await startServer({
    sessionKeys: [OPERATOR],
    principal: (key) => people[key],
    protocols: [protocol],
    sockets: { opened: () => void sockets++ },
    ...options,
  });
  const body = { ...newConversation(server.folder), ...start };
  const made = await server.call('POST', '/api/conversations', body, { 'x-session-api-key': OPERATOR });
  const id = made.body['id'] as string;
  return {
    server,
    id,
    sockets: () => sockets,
    use: (work, key = OPERATOR) => protocol.use({ server, id, key }, work),
    of: (other, work) => protocol.use({ server, id: other, key: OPERATOR }, work),
  };
}

const call = ({ server, id }: Used, method: string, path: string, body?: unknown) =>
  server.call<JsonObject>(method, `/api/conversations/${id}${path}`, body, { 'x-session-api-key': OPERATOR });

test('P11: messages, runs and what comes of them need no connection', async () => {
  const here = await used({ turns: [{ text: 'Hello.' }] });
  const told: string[] = [];
  const result = await here.use(async (conversation) => {
    conversation.subscribe(({ kind }) => void told.push(kind), { from: toEventIndex(0) });
    await conversation.sendMessage('hi');
    const run = await conversation.run();
    await conversation.sendMessage({ role: 'user', content: 'and' }, { id: randomUUID() });
    return { run, status: conversation.state.executionStatus, length: conversation.events.length };
  });
  expect(result).toMatchObject({ run: { status: 'finished', iterations: 1 }, length: 4 });
  await until(async () => told.length === 4);
  expect(here.sockets()).toBe(0);
});

test('a conversation of this process has the features that clients of the server have', async () => {
  const here = await used();
  const workspace = new RemoteWorkspace({ host: here.server.url, apiKey: OPERATOR, workingDir: here.server.folder });
  const client = await openRemoteConversation({}, { workspace, id: here.id, create: 'never' });
  onTestFinished(() => client.close());
  const features = await here.use(async (conversation) => ({ ...conversation.features }));
  expect(features).toEqual({ ...client.features });
  expect(Object.values(features)).toContain(true);
});

test('P9: the state shows what its route shows', async () => {
  const here = await used();
  const [fields, shown] = await here.use(async ({ state }) => [(state as ReadonlyState).fields, { ...state }]);
  const { body } = await call(here, 'GET', '/state');
  expect(JSON.parse(JSON.stringify(fields))).toEqual(body['state']);
  expect(JSON.stringify([fields, shown])).not.toContain('sk-plain');
});

test('P9: a subscriber gets states as their route shows them', async () => {
  const here = await used();
  const states: unknown[] = [];
  await here.use(async (conversation) => {
    conversation.subscribe({ onStateChange: (...both) => void states.push(...both) });
    await call(here, 'PATCH', '', { title: 'A title' });
    await until(async () => states.length > 0);
  });
  expect(states[0]).toMatchObject({ title: 'A title', agent: { llm: { api_key: null } } });
  expect(JSON.stringify(states)).not.toContain('sk-plain');
});

test('P10: a message and a run need the scope run, which is looked at each time', async () => {
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ['read', 'run'] } };
  const here = await used({ people, turns: [{ text: 'Hello.' }] });
  await here.use(async (conversation) => {
    await conversation.sendMessage('hi');
    people['ann'] = { name: 'ann', scopes: ['read'] };
    for (const refused of [conversation.sendMessage('no'), conversation.run()])
      await expect(refused).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringContaining('the scope run'),
      });
    delete people['ann'];
    await expect(conversation.sendMessage('no')).rejects.toMatchObject({ code: 'DENIED' });
  }, 'ann');
  expect((await call(here, 'GET', '/events/count')).body).toBe(2);
});

test('P10: a conversation that has left the limits of its sender is not found by the next command', async () => {
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ALL, limits: { tags: { of: 'ann' } } } };
  const here = await used({ people, start: { tags: { of: 'ann' } } });
  await here.use(async (conversation) => {
    await call(here, 'PATCH', '', { tags: {} });
    for (const refused of [conversation.sendMessage('no'), conversation.run()])
      await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }, 'ann');
});

test('P10: a run of a sender that may not approve lets nothing run that waits', async () => {
  const people = { ann: { name: 'ann', scopes: ['read', 'run'] } } as const;
  const asking = { confirmation_policy: { kind: 'AlwaysConfirm' } };
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'one' } }] }];
  const here = await used({ people, turns, tools: [echoTool], start: asking });
  await here.use(async (conversation) => {
    await conversation.sendMessage('call');
    expect(await conversation.run()).toMatchObject({ status: 'waiting_for_confirmation' });
    await expect(conversation.run()).rejects.toMatchObject({ code: 'DENIED' });
    expect(await conversation.run({ approves: false })).toMatchObject({ status: 'waiting_for_confirmation' });
    const [action] = conversation.state.pendingActions;
    await expect(conversation.approve([String(action?.id)])).rejects.toMatchObject({ code: 'DENIED' });
  }, 'ann');
});

test('P10: commands that are rarely given go by their routes, with the same rights', async () => {
  const people = { ann: { name: 'ann', scopes: ALL } } as const;
  const asking = { confirmation_policy: { kind: 'AlwaysConfirm' } };
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'one' } }] }, { text: 'Done.' }];
  const here = await used({ people, turns, tools: [echoTool], start: asking });
  const state = await here.use(async (conversation) => {
    await conversation.sendMessage('call');
    await conversation.run();
    const [action] = conversation.state.pendingActions;
    await conversation.approve([String(action?.id)]);
    await conversation.run({ approves: false });
    await conversation.settings.setTitle('A title');
    const commits = await Array.fromAsync(conversation.history.commits());
    expect(commits.length).toBeGreaterThan(3);
    expect(await conversation.finalResponse()).toBe('Done.');
    return (conversation.state as ReadonlyState).fields;
  }, 'ann');
  expect(state).toMatchObject({ executionStatus: 'finished', title: 'A title' });
  expect(here.sockets()).toBe(1);
  const { body } = await here.server.call('GET', '/api/audit', undefined, { 'x-session-api-key': OPERATOR });
  const said = (body['items'] as readonly JsonObject[]).filter(({ by }) => by === 'ann').map(({ route }) => route);
  expect(said).toContain('update_conversation');
});

test('a run beyond the daily runs of a key is refused at once, with the limit', async () => {
  const people = { ann: { name: 'ann', scopes: ALL, daily: { runs: 1 } } } as const;
  const usage = { registry: new MemoryRegistry(), reserve: 0.001 };
  const here = await used({ people, usage, turns: [{ text: 'One.' }, { text: 'Two.' }] });
  await here.use(async (conversation) => {
    await conversation.sendMessage('one');
    await conversation.run();
    await conversation.sendMessage('two');
    const refused = conversation.run();
    await expect(refused).rejects.toThrow('The key ann has used 1 of 1 runs of this day');
  }, 'ann');
});

test('a run that fails rejects with what the log tells, and a limit is a reason', async () => {
  const turns = [{ error: 'the model is out' }, { calls: [{ name: 'echo', arguments: { text: '1' } }] }];
  const here = await used({ turns, tools: [echoTool] });
  await here.use(async (conversation) => {
    await conversation.sendMessage('go');
    await expect(conversation.run()).rejects.toMatchObject({
      code: 'RUN_FAILED',
      message: expect.stringContaining('the model is out'),
    });
    await conversation.sendMessage('again');
    expect(await conversation.run({ maxIterations: 1 })).toMatchObject({ reason: { code: 'MaxIterationsReached' } });
  });
});

test('a run of a conversation that ends here rejects CLOSED, and the next message finds the conversation', async () => {
  const wait = waitingTool();
  onTestFinished(wait.release);
  const here = await used({ turns: [{ calls: [{ name: 'wait', arguments: {} }] }], tools: [wait.tool] });
  await here.use(async (conversation) => {
    await conversation.sendMessage('go');
    const running = conversation.run();
    running.catch(() => {});
    await wait.begun;
    (here.server.host.loaded(here.id) as HostedConversation).end(new Error('another server has it'));
    await expect(running).rejects.toMatchObject({ code: 'CLOSED', conversationId: here.id });
    const key = randomUUID();
    expect(await conversation.sendMessage('again', { id: key })).toMatchObject({ id: key });
  });
  expect(here.sockets()).toBe(1);
});

test('P3: a message that is repeated under its id is stored once, and another one under it is refused', async () => {
  const here = await used();
  const key = randomUUID();
  await here.use(async (conversation) => {
    const send = (text: string) => conversation.sendMessage(text, { id: key });
    expect(await Promise.all([send('one'), send('one')])).toMatchObject([{ id: key }, { id: key }]);
    await expect(send('two')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
  expect((await call(here, 'GET', '/events/count')).body).toBe(2);
});

test('followers of a deleted conversation, and of a key that is revoked, end', async () => {
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ALL }, bob: { name: 'bob', scopes: ALL } };
  const here = await used({ people });
  const follow = async (key: string): Promise<{ readonly errors: unknown[]; readonly ended: Promise<void> }> => {
    const errors: unknown[] = [];
    // as an object, because a promise alone would be waited for
    const { ended } = await here.use(async (conversation) => {
      const subscription = conversation.subscribe({ onError: (error) => void errors.push(error) });
      return { ended: subscription.caughtUp(toEventIndex(1000)) };
    }, key);
    return { errors, ended };
  };
  const [ann, bob] = await Promise.all([follow('ann'), follow('bob')]);
  delete people['ann'];
  await ann.ended;
  await call(here, 'DELETE', '');
  await bob.ended;
  expect([ann.errors, bob.errors]).toMatchObject([[], [{ code: 'CLOSED' }]]);
});

test('P2: a conversation that another process owns is followed by a socket, and takes no message here', async () => {
  const store = new MemoryStore();
  const here = await used({ store });
  const agent = new StreamingAgent();
  const other = await openLocalConversation(
    { storeAt: () => store, agents: only(agent) },
    { agent, store, workspace: here.server.folder },
  );
  onTestFinished(() => other.close());
  await other.state.append([drafts.environmentMessage('before')]);
  await here.of(other.id, async (conversation) => {
    expect(conversation.events.length).toBe(1);
    await expect(conversation.sendMessage('no')).rejects.toMatchObject({ code: 'BUSY' });
    const told = Promise.withResolvers<void>();
    conversation.subscribe(() => told.resolve());
    await other.state.append([drafts.environmentMessage('after')]);
    await told.promise;
  });
  expect(here.sockets()).toBe(1);
});
