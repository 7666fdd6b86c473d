import { toEventIndex } from '@conv/core/store';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { expect, test } from 'vitest';

import { make, payload, says } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess } from './server-process.ts';

const LLM = { model: 'openai/test-model', base_url: 'http://127.0.0.1:1', api_key: 'sk-test-0123456789' };

test('P11: a client that only follows a conversation is told that its server stops, and when it goes on', async () => {
  const cwd = newFolder();
  const server = await ServerProcess.start({ cwd });
  const { id } = await make(server, payload({ cwd, llm: LLM }));
  const told: string[] = [];
  const workspace = new RemoteWorkspace({
    host: server.url,
    ...(server.key === undefined ? {} : { apiKey: server.key }),
    requests: { onRetry: ({ message }) => told.push(message), onRecovered: () => told.push('answered') },
  });
  // only an unanswered ping can show the silence: the next heartbeat is an hour away
  const runtime = { heartbeat: 3_600_000 };
  await using conversation = await openRemoteConversation(runtime, { workspace, id, create: 'never' });
  const seen: string[] = [];
  conversation.subscribe(
    { onEvent: ({ kind }) => void seen.push(kind) },
    { from: toEventIndex(conversation.events.length) },
  );
  const say = (text: string): Promise<unknown> => server.call('POST', `/api/conversations/${id}/events`, says(text));
  await say('first');
  await eventually(() => seen.includes('MessageEvent'));
  server.kill('SIGSTOP');
  await eventually(() => told.length > 0);
  server.kill('SIGCONT');
  await eventually(() => told.length > 1);
  await say('second');
  await eventually(() => seen.filter((kind) => kind === 'MessageEvent').length === 2);
  expect(told).toEqual([expect.stringMatching(/^GET http:.*: no answer for 5 s$/), 'answered']);
  expect(await server.stop()).toBe(0);
});
