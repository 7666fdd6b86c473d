import { join } from 'node:path';

import { ConversationState, isConversationError } from '@conv/core';
import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { agentMessage, userMessage, type Event, type EventDraft } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { expect, test } from 'vitest';

import { ServerUnderTest } from './server-under-test.ts';

const scripted = (): ScriptedAgent => new ScriptedAgent({ script: new ModelScript([{ text: 'Done.' }]) });

async function onServer(work: (server: ServerUnderTest) => Promise<void>): Promise<void> {
  const server = await ServerUnderTest.start(scripted());
  try {
    await work(server);
  } finally {
    await server.dispose();
  }
}

/** A conversation with a long log, opened on its server. */
async function longConversation(server: ServerUnderTest, length: number): Promise<RemoteConversation> {
  const id = crypto.randomUUID();
  await store(server, id, length);
  return openRemoteConversation({}, { workspace: server.workspace, id, create: 'never' });
}

/** Stores a conversation with so many events. */
async function store(server: ServerUnderTest, id: string, length: number): Promise<void> {
  await (await written(server, id, length)).close();
}

/** A conversation with so many events, which is still open to be written. */
async function written(server: ServerUnderTest, id: string, length: number): Promise<ConversationState> {
  const journal = await server.store.open(id, { owner: 'test', create: 'must' });
  const agent = scripted().describe();
  const workspace = { kind: 'LocalWorkspace', workingDir: join(server.folder, 'work') };
  const state = await ConversationState.open(journal, { id, agent, workspace });
  for (let at = 0; at < length;) {
    // commits of different sizes, as runs make them
    const size = Math.min(length - at, 1 + ((at * 7) % 23));
    const drafts: EventDraft[] = Array.from({ length: size }, (_, offset) =>
      (at + offset) % 2 === 0
        ? userMessage(`event ${at + offset}`)
        : agentMessage({ content: `event ${at + offset}`, llm_response_id: `${at + offset}` }),
    );
    await state.append(drafts);
    at += size;
  }
  return state;
}

test('P12: an event far from both ends of a long log is read with a few requests', () =>
  onServer(async (server) => {
    const length = 20_000;
    await using conversation = await longConversation(server, length);
    expect(conversation.events.length).toBe(length);
    expect(conversation.state.iteration).toBe(length / 2);
    for (const index of [length / 2, 3_333, 15_999]) {
      server.requests = 0;
      const event = await conversation.events.at(index);
      expect(JSON.stringify(event)).toContain(`"event ${index}"`);
      expect(server.requests).toBeLessThan(16);
    }
    server.requests = 0;
    const texts = (await conversation.events.slice(9_990, 10_010)).map(
      (event) => /event \d+/.exec(JSON.stringify(event))?.[0],
    );
    expect(texts).toEqual(Array.from({ length: 20 }, (_, offset) => `event ${9_990 + offset}`));
    expect(server.requests).toBeLessThan(16);
  }));

test('P11: a log that another process writes without a pause is opened and followed with its numbers', () =>
  onServer(async (server) => {
    const id = crypto.randomUUID();
    const state = await written(server, id, 300);
    let over = false;
    const writing = (async () => {
      for (let at = 300; !over; at++) {
        await state.append([userMessage(`event ${at}`)]);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    try {
      await using conversation = await openRemoteConversation({}, { workspace: server.workspace, id, create: 'never' });
      const opened = conversation.events.length;
      expect(opened).toBeGreaterThan(300);
      for (const index of [0, 123, opened - 1])
        expect(JSON.stringify(await conversation.events.at(index))).toContain(`"event ${index}"`);
      const followed = Promise.withResolvers<void>();
      const onEvent = (event: Event, index: number): void => {
        if (!JSON.stringify(event).includes(`"event ${index}"`))
          followed.reject(new Error(`another event has the number ${index}`));
        if (index >= opened + 200) followed.resolve();
      };
      conversation.subscribe({ onEvent }, { from: toEventIndex(opened) });
      await followed.promise;
    } finally {
      over = true;
      await writing;
      await state.close();
    }
  }));

test('a run ends at a limit of its own, whatever its conversation allows', async () => {
  const asks = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  const agent = new ScriptedAgent({ script: new ModelScript([asks, asks, asks, { text: 'Done.' }]) });
  const server = await ServerUnderTest.start(agent);
  try {
    await using conversation = await openRemoteConversation(
      {},
      { workspace: server.workspace, agent: agent.describe() },
    );
    await conversation.sendMessage('Go');
    expect(await conversation.run({ maxIterations: 2 })).toMatchObject({ status: 'error', iterations: 2 });
    expect(conversation.state.maxIterations).toBe(500);
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 2 });
    await expect(conversation.run({ maxIterations: 0 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  } finally {
    await server.dispose();
  }
});

test('secrets without a value at the server are named when it is opened, and when they change', () =>
  onServer(async ({ workspace }) => {
    const agent = scripted().describe();
    const missing = [{ name: 'PIN', reason: expect.stringContaining('8') as string }];
    await using one = await openRemoteConversation({}, { workspace, agent, secrets: { PIN: '1234' } });
    expect(one.settings.missingSecrets).toEqual(missing);
    await using other = await openRemoteConversation({}, { workspace, id: one.id, create: 'never' });
    expect(other.settings.missingSecrets).toEqual(missing);
    await one.settings.updateSecrets({ PIN: null });
    expect(one.settings.missingSecrets).toEqual([]);
    await other.settings.setTags({ seen: 'yes' });
    expect(other.settings.missingSecrets).toEqual([]);
  }));

test('P11: a server that does not have any more what it gave before is not taken for one without news', () =>
  onServer(async (server) => {
    const id = crypto.randomUUID();
    await store(server, id, 2000);
    const { host, workingDir } = server.workspace;
    const workspace = new RemoteWorkspace({ host, workingDir, requests: { requestTimeout: 100 } });
    await using conversation = await openRemoteConversation({}, { workspace, id, create: 'never' });
    await server.stop();
    await server.store.delete(conversation.id);
    await store(server, conversation.id, 20);
    await server.start();
    await expect(conversation.run()).rejects.toMatchObject({ code: 'LOG_CHANGED' });
    const anew = { workspace: server.workspace, id: conversation.id, create: 'never' } as const;
    await using opened = await openRemoteConversation({}, anew);
    expect(opened.events.length).toBeLessThan(100);
  }));

test('P11: a server that was given an older copy and went on is noticed, and nothing of it is delivered', () =>
  onServer(async (server) => {
    const id = crypto.randomUUID();
    await store(server, id, 30);
    await using conversation = await openRemoteConversation({}, { workspace: server.workspace, id, create: 'never' });
    const delivered: number[] = [];
    const failed = Promise.withResolvers<unknown>();
    const subscription = conversation.subscribe({
      onEvent: (_, index) => void delivered.push(index),
      onError: failed.resolve,
    });
    await server.stop();
    await server.store.delete(id);
    await store(server, id, 60);
    await server.start();
    await expect(failed.promise).resolves.toMatchObject({ code: 'LOG_CHANGED' });
    expect(delivered).toEqual([]);
    expect(subscription.position).toBe(30);
    await expect(conversation.sendMessage('Go')).rejects.toMatchObject({ code: 'LOG_CHANGED' });
    await using opened = await openRemoteConversation({}, { workspace: server.workspace, id, create: 'never' });
    expect(opened.events.length).toBe(60);
  }));

test('messages that several clients send at once are acknowledged with their own ids', () =>
  onServer(async ({ workspace }) => {
    const agent = scripted().describe();
    await using one = await openRemoteConversation({}, { workspace, agent });
    await using other = await openRemoteConversation({}, { workspace, id: one.id, create: 'never' });
    const texts = Array.from({ length: 20 }, (_, number) => `message ${number}`);
    const sent = await Promise.all(
      texts.map((text, number) => (number % 2 === 0 ? one : other).sendMessage(text, { id: crypto.randomUUID() })),
    );
    for (const [number, { id }] of sent.entries())
      expect(JSON.stringify(await one.events.get(id))).toContain(`"message ${number}"`);
    const again = await one.sendMessage('message 0', { id: (sent[0] as { id: string }).id });
    expect(again).toEqual(sent[0]);
  }));

test('a workspace on a server runs commands, and reads and writes files', () =>
  onServer(async (server) => {
    const { workspace, folder } = server;
    const file = join(folder, 'notes', 'ü.txt');
    await workspace.upload(file, 'first\nsecond\n');
    expect(new TextDecoder().decode(await workspace.download(file))).toBe('first\nsecond\n');
    const missing = await workspace.download(join(folder, 'nothing')).catch((error: unknown) => error);
    expect(isConversationError(missing, 'NOT_FOUND')).toBe(true);
    const result = await workspace.executeCommand('cat notes/*; echo oh >&2; exit 3', { cwd: folder });
    expect(result).toEqual({ exitCode: 3, stdout: 'first\nsecond\n', stderr: 'oh\n' });
    const late = await workspace.executeCommand('sleep 20', { cwd: folder, timeout: 1000 });
    expect(late.exitCode).toBe(-1);
    expect(await workspace.alive()).toBe(true);
    expect((await workspace.serverInfo()).capabilities.has('commits_v1')).toBe(true);
    await workspace.close();
  }));

test('a command that writes much is read to its end', () =>
  onServer(async ({ workspace, folder }) => {
    const { stdout } = await workspace.executeCommand('seq 1 400000', { cwd: folder });
    expect(stdout.trimEnd().split('\n')).toHaveLength(400_000);
    await workspace.close();
  }));

test('a workspace on a server says what differs from the last commit', () =>
  onServer(async ({ workspace, folder }) => {
    const identity = '-c user.name=a -c user.email=a@b.c';
    const make = `git init -q -b main . && echo one > file && git add . && git ${identity} commit -q -m one && echo two > file`;
    expect((await workspace.executeCommand(make, { cwd: folder })).exitCode).toBe(0);
    expect(await workspace.gitChanges(folder)).toEqual([{ status: 'UPDATED', path: 'file' }]);
    expect(await workspace.gitDiff(join(folder, 'file'))).toEqual({ modified: 'two\n', original: 'one\n' });
    await workspace.close();
  }));

test('P9: a secret that another client adds is masked here too, also in what was read before', () =>
  onServer(async ({ workspace }) => {
    const agent = scripted().describe();
    await using one = await openRemoteConversation({}, { workspace, agent });
    await one.sendMessage('It is correct-horse-battery.');
    await using other = await openRemoteConversation({}, { workspace, id: one.id, create: 'never' });
    expect(JSON.stringify(await one.events.slice())).toContain('correct-horse-battery');
    await other.settings.updateSecrets({ WORD: 'correct-horse-battery' });
    await one.settings.setTags({ seen: 'yes' });
    expect(one.settings.secrets).toEqual([{ name: 'WORD', description: null }]);
    expect(JSON.stringify(await one.events.slice())).not.toContain('correct-horse-battery');
  }));
