import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { MessageEvent } from '@conv/core/events';
import { StoreError, type Journal } from '@conv/core/store';
import type { ConversationInfo } from '@conv/openhands/rest';
import { WrappingStore, type JournalChanges } from '@conv/testing-harness';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ended, events, message } from '../support/conversation-calls.ts';
import type { StartChildResponse } from '../../src/conversations/start-child.ts';
import { SCOPES, type Principal } from '../../src/auth/principal.ts';
import {
  newConversation,
  startServer,
  until,
  type Answer,
  type TestServer,
  type TestServerOptions,
} from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

function child(server: TestServer, id: string, body: JsonObject): Promise<Answer<StartChildResponse>> {
  return server.call<StartChildResponse>('POST', `/api/conversations/${id}/children`, body);
}

/** Starts a child, and resolves with it when its run has ended. */
async function started(server: TestServer, id: string, body: JsonObject): Promise<ConversationInfo> {
  const answer = await child(server, id, body);
  expect(answer.status).toBe(201);
  return ended(server, answer.body.conversation_id);
}

/** A store that refuses the text `never stored`. */
class WithoutTask extends WrappingStore {
  protected override changes(journal: Journal): JournalChanges {
    const append: Journal['append'] = async (commit, after) => {
      if (JSON.stringify(commit).includes('never stored')) throw new StoreError('UNAVAILABLE', 'told to fail');
      return journal.append(commit, after);
    };
    return { append: () => append };
  }
}

const server = (options: TestServerOptions = {}): Promise<TestServer> =>
  startServer({ turns: [{ text: 'one' }, { text: 'two' }, { text: 'three' }], ...options });

describe('a child', () => {
  test('a child begins with its task, knows nothing else of its parent, and both name each other', async () => {
    const here = await server();
    const parent = await here.make({ initial_message: message('the question of the parent') });
    await ended(here, parent.id);
    const { status, body } = await child(here, parent.id, { task: 'look at it', title: 'The look' });
    expect([status, body]).toEqual([
      201,
      {
        conversation_id: expect.any(String),
        parent_conversation_id: parent.id,
        status: expect.stringMatching(/^(idle|running|finished)$/),
        title: 'The look',
        url: null,
        workspace: parent.workspace['working_dir'],
        isolation: 'shared',
      },
    ]);
    const info = await ended(here, body.conversation_id);
    expect(info).toMatchObject({
      parent_conversation_id: parent.id,
      title: 'The look',
      forked_from_conversation_id: null,
    });
    expect((await here.info(parent.id)).sub_conversation_ids).toEqual([info.id]);
    const messages = (await events(here, info.id)).filter(({ kind }) => kind === 'MessageEvent') as MessageEvent[];
    expect(messages.map(({ llm_message: { content } }) => content)).toMatchObject([[{ text: 'look at it' }], [{}]]);
  });

  test('P10: a child has the policy, the limits, the tags and the agent of its parent', async () => {
    const call = { calls: [{ name: 'echo', arguments: { text: 'x' } }] };
    const here = await server({ turns: [call], tools: [echoTool] });
    const strict = {
      confirmation_policy: { kind: 'AlwaysConfirm' },
      security_analyzer: { kind: 'PatternSecurityAnalyzer' },
      max_iterations: 7,
      tags: { team: 'red' },
      stuck_detection: false,
    };
    const parent = await here.make(strict);
    const info = await started(here, parent.id, { task: 'call it' });
    expect(info).toMatchObject({ ...strict, execution_status: 'waiting_for_confirmation' });
    expect(info.agent).toEqual(parent.agent);
  });

  test('a child works in a worktree of the repository of its parent, or where its parent works', async () => {
    const trees = mkdtempSync(join(tmpdir(), 'conv-worktrees-'));
    onTestFinished(() => rmSync(trees, { recursive: true, force: true }));
    const here = await server({ worktrees: { folder: trees } });
    const project = join(realpathSync(here.folder), 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'README.md'), 'first\n');
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project, encoding: 'utf8' });
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    const parent = await here.make({ workspace: { working_dir: project }, worktree: true });
    const own = await child(here, parent.id, { task: 'one' });
    expect(own.body).toMatchObject({
      isolation: 'worktree',
      workspace: expect.stringContaining(own.body.conversation_id),
    });
    const { agent } = await here.info(own.body.conversation_id);
    const suffix = (agent['agent_context'] as JsonObject)['system_message_suffix'] as string;
    expect([suffix.includes(own.body.workspace ?? '-'), suffix.includes(parent.id)]).toEqual([true, false]);
    const shared = await child(here, parent.id, { task: 'two', isolation: 'shared' });
    expect(shared.body).toMatchObject({ isolation: 'shared', workspace: parent.workspace['working_dir'] });
    await Promise.all([own, shared].map(({ body }) => ended(here, body.conversation_id)));
    expect((await here.call('DELETE', `/api/conversations/${parent.id}`)).status).toBe(200);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(3);
    for (const { body } of [shared, own])
      expect((await here.call('DELETE', `/api/conversations/${body.conversation_id}`)).status).toBe(200);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});

test('a caller that is limited to its own conversations knows the children that it starts', async () => {
  const ann: Principal = { name: 'ann', scopes: SCOPES, limits: { own: true } };
  const here = await server({ principal: (key) => (key === 'ann' ? ann : { name: key, scopes: SCOPES }) });
  const call = <Body = { readonly id: string }>(key: string, method: string, path: string, body?: JsonObject) =>
    here.call<Body>(method, `/api/conversations${path}`, body, { 'x-session-api-key': key });
  const parent = await call('ann', 'POST', '', newConversation(here.folder));
  const own = await call<StartChildResponse>('ann', 'POST', `/${parent.body.id}/children`, { task: 'one' });
  expect((await call('ann', 'GET', `/${own.body.conversation_id}`)).status).toBe(200);
  const foreign = await call('bob', 'POST', '', newConversation(here.folder));
  expect((await call('ann', 'POST', `/${foreign.body.id}/children`, { task: 'one' })).status).toBe(404);
});

test('the principal that started the run of a parent pays for the child of its agent, and no other one', async () => {
  const here = await server({
    turns: Array.from({ length: 4 }, () => ({ text: 'done' })),
    sessionKeys: ['operator'],
    principal: (key) => (key === 'ann' ? { name: 'ann', scopes: SCOPES } : undefined),
  });
  const as = (key: string, path: string, body: JsonObject): Promise<Answer<{ id: string; conversation_id: string }>> =>
    here.call('POST', `/api/conversations${path}`, body, { 'x-session-api-key': key });
  const rested = (id: string): Promise<unknown> =>
    until(async () => (await here.host.readPast(id))?.fields.executionStatus === 'finished');
  const payerOf = async (id: string): Promise<unknown> => {
    await rested(id);
    return ((await here.host.readPast(id))?.fields.extra.meta['conv_run'] as JsonObject | undefined)?.['by'];
  };
  const child = { task: 'look', title: null, isolation: 'shared' } as const;
  const { id: parent } = (await as('ann', '', { ...newConversation(here.folder), initial_message: message('go') }))
    .body;
  await rested(parent);
  expect(await payerOf((await here.startChild(parent, child)).conversation_id)).toBe('ann');
  const { conversation_id: nameless } = (await as('operator', `/${parent}/children`, { task: 'look' })).body;
  await rested(nameless);
  expect(await payerOf((await here.startChild(nameless, child)).conversation_id)).toBeUndefined();
});

describe('no child is started', () => {
  test('no child is started for an unknown parent, without a task, and with a blank title', async () => {
    const here = await server();
    const { id } = await here.make();
    expect(await child(here, randomUUID(), { task: 'x' })).toMatchObject({
      status: 404,
      body: { detail: 'Parent conversation not found' },
    });
    for (const body of [{}, { task: '' }, { task: 'x', title: ' ' }, { task: 'x', isolation: 'none' }])
      expect((await child(here, id, body)).status).toBe(422);
    expect((await here.info(id)).sub_conversation_ids).toEqual([]);
  });

  test('no child is started beyond a hundred, even if many start at once', async () => {
    const here = await server({ turns: Array.from({ length: 120 }, () => ({ text: 'done' })) });
    const { id } = await here.make();
    const answers = await Promise.all(Array.from({ length: 110 }, () => child(here, id, { task: 'one of many' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
      detail: expect.stringContaining('at most 100 children'),
    });
  });

  test('no child remains that could not get its task', async () => {
    const here = await server({ store: new WithoutTask() });
    const { id } = await here.make();
    expect((await child(here, id, { task: 'never stored' })).status).toBeGreaterThan(400);
    expect((await here.info(id)).sub_conversation_ids).toEqual([]);
    const { body } = await here.call<{ items: readonly { id: string }[] }>('GET', '/api/conversations/search');
    expect(body.items.map((item) => item.id)).toEqual([id]);
  });

  test('no child is started more than five levels below a conversation', async () => {
    const here = await server({ turns: Array.from({ length: 9 }, () => ({ text: 'done' })) });
    let { id } = await here.make();
    for (let depth = 1; depth <= 5; depth++) ({ id } = await started(here, id, { task: `level ${depth}` }));
    const { status, body } = await child(here, id, { task: 'level 6' });
    expect([status, body]).toEqual([429, { detail: expect.stringContaining('at most 5 deep') }]);
  });
});
