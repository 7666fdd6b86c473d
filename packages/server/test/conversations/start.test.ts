import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { conversationInfoSchema, type ConversationInfo } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { ended, kinds, message } from '../support/conversation-calls.ts';
import { newConversation, startServer } from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

describe('starting a conversation', () => {
  test('a start with a first message runs it, gives it a title and tells of the answer', async () => {
    const server = await startServer({ turns: [{ text: 'hello' }] });
    const { id } = await server.make({ initial_message: message('hi') });
    expect((await ended(server, id)).title).toBe('hi');
    expect(await kinds(server, id)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
    const final = await server.call('GET', `/api/conversations/${id}/agent_final_response`);
    expect(final.body).toEqual({ response: 'hello' });
    expect(server.reported).toEqual([]);
  });

  test('a start acts on the workspace, tags, policy, analyzer, limit and stuck detection of the request', async () => {
    const looping = { calls: [{ name: 'echo', arguments: { text: 'again' } }] };
    const server = await startServer({ turns: Array.from({ length: 9 }, () => looping), tools: [echoTool] });
    const workspace = { kind: 'LocalWorkspace', working_dir: join(server.folder, 'elsewhere') };
    const asked = {
      workspace,
      tags: { team: 'a' },
      confirmation_policy: { kind: 'NeverConfirm' },
      security_analyzer: { kind: 'LLMSecurityAnalyzer' },
      stuck_detection: false,
      max_iterations: 7,
    };
    const made = await server.make({ ...asked, initial_message: message('go') });
    expect(made).toMatchObject(asked);
    expect(existsSync(workspace.working_dir)).toBe(true);
    // nothing asks a person, nothing finds it stuck, and the limit ends it
    expect((await ended(server, made.id)).execution_status).toBe('error');
    expect((await kinds(server, made.id)).filter((kind) => kind === 'ObservationEvent')).toHaveLength(7);
    const strict = { confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('go') };
    expect((await ended(server, (await server.make(strict)).id)).execution_status).toBe('waiting_for_confirmation');
  });

  test('a start keeps what its headers say about traces, and its body wins', async () => {
    const server = await startServer();
    const start = (more: JsonObject, metadata: string) =>
      server.call<ConversationInfo>(
        'POST',
        '/api/conversations',
        { ...newConversation(server.folder), ...more },
        {
          'X-OpenHands-Observability-Span-Name': 'of.the.proxy',
          'X-OpenHands-Observability-Tags': 'one, two,,',
          'X-OpenHands-Observability-Metadata': metadata,
          'X-OpenHands-Observability-Parent-Span-Context': 'parent',
        },
      );
    const kept = async (id: string) => (await server.host.read(id))?.fields.extra.meta;
    const { body } = await start({}, '{"team":"a","size":3}');
    expect(await kept(body.id)).toMatchObject({
      observability_span_name: 'of.the.proxy',
      observability_tags: ['one', 'two'],
      observability_metadata: { team: 'a', size: 3 },
      observability_parent_span_context: 'parent',
    });
    const own = {
      observability_span_name: 'mine',
      observability_tags: [],
      observability_metadata: { team: 'b' },
      observability_parent_span_context: 'own',
    };
    const { body: other } = await start(own, '{"team":"a","size":3}');
    expect(await kept(other.id)).toMatchObject({ ...own, observability_metadata: { team: 'b', size: 3 } });
    for (const wrong of ['{', '[]', '"text"'])
      expect(await start({}, wrong)).toMatchObject({
        status: 422,
        body: { detail: 'X-OpenHands-Observability-Metadata must be a JSON object' },
      });
  });

  test('a start tells of every member of the protocol, of no secret, and of skills when asked', async () => {
    const server = await startServer();
    const skills = [{ name: 'one', content: 'text', trigger: null }];
    const agent = {
      ...(newConversation(server.folder)['agent'] as JsonObject),
      agent_context: { skills, secrets: { TOKEN: 'context-secret-0123' } },
      mcp_config: { files: { command: 'x', env: { KEY: 'server-secret-0123' } } },
      made_up: { kept: [1] },
    };
    const made = await server.call<ConversationInfo>('POST', '/api/conversations?include_skills=true', {
      ...newConversation(server.folder),
      agent,
    });
    expect(made.status).toBe(201);
    expect(conversationInfoSchema.safeParse(made.body).error).toBeUndefined();
    expect(made.body.agent).toMatchObject({
      agent_context: { skills },
      made_up: { kept: [1] },
      llm: { api_key: null },
    });
    expect((await server.info(made.body.id)).agent).toMatchObject({
      agent_context: { skills: [] },
      made_up: { kept: [1] },
    });
    expect(JSON.stringify(made.body)).not.toMatch(/sk-plain|context-secret|server-secret/);
    expect(made.body.persistence_dir).toBe(join(server.folder, made.body.id.replaceAll('-', '')));
  });

  test('a start with nulls and unknown members works as without them', async () => {
    const server = await startServer();
    const { id, tags } = await server.make({
      initial_message: null,
      conversation_id: null,
      security_analyzer: null,
      secrets: null,
      plugins: null,
      hook_config: null,
      tags: null,
      max_iterations: null,
      tool_module_qualnames: { terminal: 'os' },
      stuck_detection_thresholds: { action_error: 3 },
      whatever: [1],
    });
    expect(tags).toEqual({});
    expect((await server.info(id)).max_iterations).toBe(500);
  });

  test.each([
    ['max_iteration', 'max_iterations'],
    ['maxIterations', 'max_iterations'],
    ['confirmation_polciy', 'confirmation_policy'],
    ['secuirty_analyzer', 'security_analyzer'],
  ])('P13: a start with the misspelt member %s is refused with the expected name', async (misspelt, expected) => {
    const server = await startServer();
    const sent = { ...newConversation(server.folder), [misspelt]: null };
    expect(await server.call('POST', '/api/conversations', sent)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', misspelt], msg: expect.stringContaining(`expected ${expected}`) }] },
    });
    expect((await server.call<{ items: unknown[] }>('GET', '/api/conversations/search')).body.items).toEqual([]);
  });

  test('a start names members of other versions in its info, after a restart too, without their values', async () => {
    const server = await startServer();
    const given = newConversation(server.folder);
    const agent = { ...(given['agent'] as JsonObject), mood: 'value-of-the-mood' };
    const more = { branch_choices: { branch: 'value-of-the-branch' } };
    const { id } = await server.make({ ...given, agent, ...more });
    expect(await server.info(id)).toMatchObject({ ignored_members: ['agent.mood', 'branch_choices'] });
    const plain = await server.make(given);
    expect(plain).toMatchObject({ ignored_members: [] });
    await server.close();
    const again = await startServer({ store: server.store });
    const body = await again.info(id);
    expect(body).toMatchObject({ ignored_members: ['agent.mood', 'branch_choices'] });
    expect(JSON.stringify(body)).not.toContain('value-of-the-branch');
  });

  test('a start with a used id answers 200 with the stored conversation', async () => {
    const server = await startServer();
    const id = randomUUID();
    await server.make({ conversation_id: id, tags: { a: 'first' } });
    const again = await server.call<ConversationInfo>('POST', '/api/conversations', {
      ...newConversation(server.folder),
      conversation_id: id.replaceAll('-', '').toUpperCase(),
      tags: { a: 'second' },
    });
    expect([again.status, again.body.id, again.body.tags]).toEqual([200, id, { a: 'first' }]);
  });

  test('a start that is asked for many times at once with one id makes one conversation', async () => {
    const server = await startServer({ turns: [{ text: 'one answer' }] });
    const wanted = { ...newConversation(server.folder), conversation_id: randomUUID(), initial_message: message('hi') };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.call('POST', '/api/conversations', wanted)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ]);
    await ended(server, wanted.conversation_id);
    expect(await kinds(server, wanted.conversation_id)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
  });

  test('a start that is repeated with its idempotency key makes one conversation', async () => {
    const server = await startServer();
    const body = newConversation(server.folder);
    const [first, again] = [
      await server.call<ConversationInfo>('POST', '/api/conversations', body, { 'idempotency-key': 'k1' }),
      await server.call<ConversationInfo>('POST', '/api/conversations', body, { 'idempotency-key': 'k1' }),
    ];
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
  });

  test('a start heeds initial_message.run: false, and runs when it is left out', async () => {
    const server = await startServer({ turns: [{ text: 'ran' }] });
    const silent = await server.make({ initial_message: message('do not run', { run: false }) });
    expect(silent.execution_status).toBe('idle');
    const spoken = await server.make({ initial_message: message('run') });
    await ended(server, spoken.id);
    expect((await server.info(silent.id)).execution_status).toBe('idle');
    expect(await kinds(server, silent.id)).toEqual(['SystemPromptEvent', 'MessageEvent']);
  });

  test('a start with agent settings builds the agent that they describe', async () => {
    const server = await startServer();
    const { agent: _, ...rest } = newConversation(server.folder);
    const { status, body } = await server.call<ConversationInfo>('POST', '/api/conversations', {
      ...rest,
      agent_settings: {
        llm: { model: 'scripted', api_key: 'sk-settings-0123' },
        condenser: { enabled: true, max_size: 80 },
        tool_concurrency_limit: 3,
      },
    });
    expect(status).toBe(201);
    expect(body.agent).toMatchObject({
      kind: 'Agent',
      tools: [{ name: 'terminal' }, { name: 'file_editor' }, { name: 'task_tracker' }],
      include_default_tools: ['FinishTool', 'ThinkTool', 'SwitchLLMTool'],
      condenser: { kind: 'LLMSummarizingCondenser', max_size: 80, llm: { usage_id: 'condenser' } },
      tool_concurrency_limit: 3,
    });
    expect(JSON.stringify(body)).not.toContain('sk-settings');
  });

  test.each([
    ['no agent', { agent: null }],
    [
      'an agent that cannot be built',
      { agent: { kind: 'Agent', llm: { model: 'unheard-of', api_key: 'sk-x-0123456789' } } },
    ],
    ['an agent of another kind', { agent: { kind: 'ACPAgent', acp_command: ['x'] } }],
    ['a policy of no known kind', { confirmation_policy: { kind: 'Sometimes' } }],
    ['an analyzer of no known kind', { security_analyzer: { kind: 'Crystal' } }],
    ['tags that are none', { tags: { 'Not Allowed': 'x' } }],
    ['iterations below one', { max_iterations: 0 }],
    ['no workspace', { workspace: null }],
    ['a workspace where nobody can work', { workspace: { working_dir: '/proc/self' } }],
    ['a parent that is not there', { parent_conversation_id: randomUUID() }],
    [
      'secrets although there is no vault',
      { secrets: { TOKEN: { kind: 'StaticSecret', value: 'a-secret-value-0123' } } },
    ],
    ['secrets of another key', { secrets_encrypted: true }],
    ['hooks that nobody can run', { hook_config: { pre_tool_use: [{ hooks: [{ command: 'true' }] }] } }],
    ['a first message of another role', { initial_message: { role: 'assistant', content: [] } }],
  ])('a start with %s is refused and makes nothing', async (_name, more) => {
    const server = await startServer();
    const { status, body } = await server.call('POST', '/api/conversations', {
      ...newConversation(server.folder),
      ...more,
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body['detail']).toBeTruthy();
    expect(JSON.stringify(body)).not.toMatch(/sk-|a-secret-value/);
    expect((await server.call<number>('GET', '/api/conversations/count')).body).toBe(0);
  });

  test('a start for a parent is told to both, and refuses itself and another workspace', async () => {
    const server = await startServer();
    const parent = await server.make();
    const child = await server.make({
      parent_conversation_id: parent.id,
      workspace: parent.workspace as unknown as JsonObject,
    });
    expect(child.parent_conversation_id).toBe(parent.id);
    expect((await server.info(parent.id)).sub_conversation_ids).toEqual([child.id]);
    const elsewhere = { ...newConversation(server.folder), parent_conversation_id: parent.id };
    expect((await server.call('POST', '/api/conversations', elsewhere)).status).toBe(422);
    const own = { ...newConversation(server.folder), conversation_id: randomUUID() };
    const itself = { ...own, parent_conversation_id: own.conversation_id };
    expect((await server.call('POST', '/api/conversations', itself)).status).toBe(422);
    await server.call('DELETE', `/api/conversations/${child.id}`);
    expect((await server.info(parent.id)).sub_conversation_ids).toEqual([]);
  });
});
