import { createServer } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import { openRemoteConversation, RemoteWorkspace } from '../../src/index.ts';
import { AGENT, Bench } from '../support/bench.ts';
import { listening } from '../support/listening.ts';

/** Starts a server that gives the same answer to every request. */
function sameAnswer(status: number, headers: Readonly<Record<string, string>>, body: string): Promise<string> {
  return listening(createServer((_, response) => void response.writeHead(status, headers).end(body)));
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
