import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

import type { Agent, Conversation } from '@conv/core';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { expect, onTestFinished, test } from 'vitest';

import { apiOver, scripted } from './openai-api.ts';
import { ServerUnderTest } from './server-under-test.ts';

/** A way to a server on which one kind of request waits. */
interface Gate {
  readonly host: string;
  /** Resolves when a request waits. */
  readonly reached: Promise<void>;
  readonly open: () => void;
}

/** Returns a way to a server on which requests wait whose first line fits. */
async function gateTo(url: URL, waits: RegExp): Promise<Gate> {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    let before: Promise<unknown> = Promise.resolve();
    client.on('data', (bytes: Buffer) => {
      const isHeld = waits.test(bytes.toString('latin1'));
      before = before.then(async () => {
        if (isHeld) reached.resolve();
        if (isHeld) await opened.promise;
        upstream.write(bytes);
      });
    });
    upstream.pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { host: `http://127.0.0.1:${port}`, reached: reached.promise, open: opened.resolve };
}

/** A conversation that was opened twice. The runs of the second wait at a gate. */
interface Raced {
  readonly first: Conversation;
  readonly other: Conversation;
  readonly gate: Gate;
}

/** Starts a server, and opens a conversation of it twice. */
async function raced(agent: Agent): Promise<Raced> {
  const server = await ServerUnderTest.start(agent);
  onTestFinished(() => server.dispose());
  const first = await openRemoteConversation({}, { workspace: server.workspace, agent: scripted().describe() });
  const gate = await gateTo(new URL(server.workspace.host), /^POST \S+\/run /);
  const workspace = new RemoteWorkspace({ host: gate.host, workingDir: server.workspace.workingDir });
  const other = await openRemoteConversation({}, { workspace, id: first.id, create: 'never' });
  onTestFinished(async () => void (await Promise.all([first.close(), other.close()])));
  return { first, other, gate };
}

test('P4: a chat that is sent again, and begins its run when the first one has failed, does not run again', async () => {
  const { first, other, gate } = await raced(scripted({ error: 'the model refuses' }, { text: 'A second run.' }));
  const key = crypto.randomUUID();
  const ask = (conversation: Conversation): Promise<unknown> => {
    const { client } = apiOver(async () => conversation, { conversation: async () => conversation });
    return client.chat.completions.create(
      { model: 'm', metadata: { conversation: first.id }, messages: [{ role: 'user', content: 'Go' }] },
      { headers: { 'Idempotency-Key': key } },
    );
  };
  const late = ask(other);
  late.catch(() => {});
  await gate.reached;
  await expect(ask(first)).rejects.toMatchObject({ status: 500 });
  gate.open();
  await expect(late).rejects.toMatchObject({ status: 500 });
  const kinds = (await first.events.slice()).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== 'SystemPromptEvent')).toEqual(['MessageEvent', 'ConversationErrorEvent']);
});

test('a chat whose run begins when another message has come, which asks for no run, is answered', async () => {
  const { first, other, gate } = await raced(scripted({ text: 'Both are answered.' }));
  const { client } = apiOver(async () => other, { conversation: async () => other });
  const asked = client.chat.completions.create({
    model: 'm',
    metadata: { conversation: first.id },
    messages: [{ role: 'user', content: 'Go' }],
  });
  asked.catch(() => {});
  await gate.reached;
  await first.sendMessage('And this');
  gate.open();
  await asked;
  const said = (await first.events.slice()).filter(({ kind }) => kind === 'MessageEvent');
  expect(said.map(({ source }) => source)).toEqual(['user', 'user', 'agent']);
});
