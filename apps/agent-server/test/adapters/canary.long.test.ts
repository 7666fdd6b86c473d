import { join } from 'node:path';

import type { Conversation } from '@conv/core';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { WebhookReceiver } from '@conv/testing-harness';
import { call, createModelServer, fail, lastUserText, say } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { Canaries } from '../canary/canaries.ts';
import { starts } from '../canary/doors.ts';
import { Editor } from '../editor/editor.ts';
import { newFolder } from '../new-folder.ts';
import { ServerProcess } from '../server-process.ts';
import { OPERATIONS, requestOf, toolCall, type Place } from './operations.ts';

const COMMAND = 'echo "raw $TOKEN"; printf %s "$TOKEN" | base64 -w0; echo "$CONTEXT"; echo "length ${#TOKEN}"';

interface Sent {
  readonly url: string;
  readonly key: string;
  readonly receiver: string;
}

/** Returns a message by each adapter that takes one, also as a stream. */
function messages(id: string, text: string, { url, key, receiver }: Sent): Readonly<Record<string, Request>> {
  const post = (path: string, body: object, more: Readonly<Record<string, string>> = {}): Request => {
    const headers = { 'x-session-api-key': key, 'content-type': 'application/json', 'a2a-version': '1.0', ...more };
    return new Request(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const messageId = crypto.randomUUID();
  const chat = { metadata: { conversation: id }, messages: [{ role: 'user', content: text }] };
  const sent = { messageId, role: 'ROLE_USER', contextId: id, parts: [{ text }] };
  const tool = toolCall('converse', { conversation: id, message: text });
  const configuration = { taskPushNotificationConfig: { url: receiver } };
  return {
    chat: post('/api/chat', { id, messages: [{ id: messageId, role: 'user', parts: [{ type: 'text', text }] }] }),
    'AG-UI': post('/api/ag-ui', {
      threadId: id,
      runId: 'run',
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
      messages: [{ id: crypto.randomUUID(), role: 'user', content: text }],
    }),
    'OpenAI: responses': post('/v1/responses', { conversation: id, input: text }),
    'OpenAI: stream': post('/v1/responses', { conversation: id, input: text, stream: true }),
    'OpenAI: chat': post('/v1/chat/completions', chat),
    'OpenAI: chat stream': post('/v1/chat/completions', { ...chat, stream: true }),
    'A2A: stream': post('/api/a2a', {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: { ...sent, messageId: crypto.randomUUID() }, configuration },
    }),
    MCP: post('/mcp', tool.body, tool.headers),
  };
}

/** Resolves with the newest message of the user, and the call of its answer. */
async function newestTask({ id, events }: Conversation): Promise<Place> {
  const all = await events.slice();
  const message = all.findLast(({ source }) => source === 'user');
  return { id, event: String(message?.id), action: '', other: '' };
}

test('P9: no adapter tells a secret of the environment, the settings, a message, an output or an error', async () => {
  const canaries = new Canaries();
  const cwd = newFolder();
  const sessionKey = canaries.value('session-key').replaceAll(' ', '');
  const token = canaries.value('start-static');
  const model = await createModelServer({
    script: (request) => {
      if (lastUserText(request).startsWith('fail'))
        return fail(401, { message: `Incorrect API key provided: ${token}` });
      return request.messages.at(-1)?.role !== 'tool'
        ? call('terminal', { command: COMMAND })
        : say(`I saw ${token} there.`);
    },
  });
  onTestFinished(() => model.close());
  const receiver = await WebhookReceiver.start();
  onTestFinished(() => receiver.close());
  const env = {
    CONV_WEBHOOK_HOSTS: `127.0.0.1:${receiver.port}`,
    OH_SESSION_API_KEYS_0: sessionKey,
    OH_SECRET_KEY: canaries.value('secret-key'),
    OH_PERSISTENCE_DIR: join(cwd, 'settings'),
    CONV_HOST: '127.0.0.1',
  };
  const server = await ServerProcess.start({ cwd, env });
  onTestFinished(async () => void (await server.stop()));
  const headers = { 'x-session-api-key': sessionKey, 'content-type': 'application/json' };
  const started = await fetch(`${server.url}/api/conversations`, {
    method: 'POST',
    headers,
    body: JSON.stringify(starts(canaries, { cwd, modelUrl: model.url })['working']),
  });
  const { id } = (await started.json()) as { id: string };
  const workspace = new RemoteWorkspace({ host: server.url, apiKey: sessionKey, workingDir: cwd });
  const conversation = await openRemoteConversation({}, { workspace, id, create: 'never' });
  onTestFinished(() => conversation.close());

  const sent = { url: server.url, key: sessionKey, receiver: receiver.url };
  const heard: (readonly [string, string])[] = [];
  const ask = async (name: string, request: Request): Promise<void> => {
    const answer = await fetch(request);
    heard.push([name, JSON.stringify([...answer.headers])], [name, await answer.text()]);
  };

  const editor = new Editor({ open: async () => conversation, create: () => Promise.reject(new Error('no')) });
  await editor.load(id);
  for (const text of [`my token is ${token}`, 'fail now']) {
    for (const [name, request] of Object.entries(messages(id, text, sent))) await ask(name, request);
    const place = await newestTask(conversation);
    const reading = OPERATIONS.filter(({ needs, name }) => needs.length === 1 && !name.includes('Subscribe'));
    for (const operation of reading) await ask(operation.name, requestOf(operation, place, sent));
    const said = await editor.say(id, text).catch(String);
    heard.push(['ACP', said]);
  }
  await ask('A2A: card', new Request(`${server.url}/.well-known/agent-card.json`));
  heard.push(['ACP', JSON.stringify(editor.updates)]);
  await receiver.until(() => receiver.received.some(({ body }) => body.includes('TASK_STATE_COMPLETED')));
  heard.push(...receiver.received.map(({ body }) => ['A2A: push', body] as const));

  const told = new Map(heard.map(([name]) => [name, heard.filter(([each]) => each === name).join('\n')]));
  expect([...told].flatMap(([name, text]) => canaries.find(text).map((found) => [name, found]))).toEqual([]);
  for (const name of ['chat', 'AG-UI', 'OpenAI: responses', 'OpenAI: stream', 'A2A: stream', 'A2A: push', 'ACP'])
    expect([name, told.get(name)]).toEqual([name, expect.stringContaining(`length ${token.length}`)]);
  // its results have the answer, without the outputs of calls
  expect(told.get('MCP')).toContain('I saw');
}, 60_000);
