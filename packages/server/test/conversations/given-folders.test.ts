import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import { givenFoldersOf } from '../../src/conversations/given-folders.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';
import { plugin, skill, testPlugins } from '../support/test-plugins.ts';

const KEY = 'the-key-of-this-server';

async function server(): Promise<TestServer> {
  const copied = (name: string): ReturnType<typeof plugin> => plugin(name, { directory: `/copies/${name}` });
  const skills = [{ ...skill('public'), source: '/copies/market/skills/public/SKILL.md' }, skill('plain')];
  const plugins = testPlugins({ sources: { '/plugins/one': copied('one') }, user: [copied('own')], skills });
  return startServer({
    plugins,
    sessionKeys: [KEY],
    principal: (name) => ({ name, scopes: ['read', 'run', 'approve', 'admin'] }),
  });
}

async function made(running: TestServer, key: string, more: JsonObject = {}): Promise<string> {
  const body = { ...newConversation(running.folder), ...more };
  const { body: answer } = await running.call<{ id: string }>('POST', '/api/conversations', body, {
    'x-session-api-key': key,
  });
  expect(answer).toHaveProperty('id');
  return answer.id;
}

test('a conversation was given its plugins, those of the user, and its public skills', async () => {
  const running = await server();
  const agent = { ...(newConversation(running.folder)['agent'] as JsonObject) };
  const withPlugin = await made(running, 'ann', {
    plugins: [{ source: '/plugins/one' }],
    agent: { ...agent, agent_context: { load_user_skills: true } },
  });
  const of = (id: string): Promise<readonly string[]> => givenFoldersOf(running.host, id);
  expect(await of(withPlugin)).toEqual(['/copies/one', '/copies/market', '/copies/own']);
  expect(await of(await made(running, 'bob'))).toEqual(['/copies/own']);
  expect(await of(randomUUID())).toEqual([]);
  expect(await of('commands in /srv')).toEqual([]);
});

test('a client gives a conversation no folders by its own skills', async () => {
  const running = await server();
  const agent = { ...(newConversation(running.folder)['agent'] as JsonObject) };
  const skills = [{ ...skill('forged'), source: '/copies/one/SKILL.md' }];
  const forged = await made(running, 'bob', {
    agent: { ...agent, agent_context: { skills } },
    given_folders: ['/copies/one'],
  });
  expect(await givenFoldersOf(running.host, forged)).toEqual(['/copies/own']);
});

test('the conversation of a sub-agent has the folders of its parent', async () => {
  const running = await server();
  const parent = await made(running, 'ann', { plugins: [{ source: '/plugins/one' }] });
  using lease = await running.host.create({
    id: randomUUID(),
    workspace: running.folder,
    parentId: parent,
    agent: (await running.agents.revive({ kind: 'Agent', llm: { model: 'scripted' }, tools: [] })) as never,
  });
  expect(await givenFoldersOf(running.host, lease.conversation.id)).toEqual(['/copies/one', '/copies/own']);
});
