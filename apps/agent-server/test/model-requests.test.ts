import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { describe, expect, test } from 'vitest';

import { startRequestServer } from './request-server.ts';

const { server, cwd, llm, start, placesOf } = await startRequestServer();

describe('a request to start a conversation', () => {
  test.each([
    ['localhost:1234', 'is not an http(s) URL'],
    ['ftp://127.0.0.1/v1', 'is not an http(s) URL'],
    ['not a url', 'is not an http(s) URL'],
    ['http://127.0.0.1/v1/chat/completions', 'ends in /chat/completions'],
    ['http://127.0.0.1/v1?x=1', 'has a query'],
    ['http://ann:secret-0123456@127.0.0.1/v1?x=1', 'has a query'],
  ])('P13: a model with the base URL %s is refused with the place, wherever a model is sent', async (url, found) => {
    const bad = { ...llm, base_url: url };
    const at = async (method: string, path: string, body: JsonObject): Promise<unknown> => {
      const { status, body: answer } = await server.call<{ detail: readonly JsonObject[] }>(method, path, body);
      expect([status, answer.detail[0]?.['msg']]).toEqual([422, expect.stringContaining(found)]);
      expect(JSON.stringify(answer)).not.toContain('secret-0123456');
      return answer.detail[0]?.['loc'];
    };
    const llmUrl = ['llm', 'base_url'];
    const agent = { kind: 'Agent', llm: bad, tools: [] };
    expect(await placesOf({ agent })).toEqual([['body', 'agent', ...llmUrl]]);
    const condensed = { kind: 'Agent', llm, tools: [], condenser: { kind: 'LLMSummarizingCondenser', llm: bad } };
    expect(await placesOf({ agent: condensed })).toEqual([['body', 'agent', 'condenser', ...llmUrl]]);
    expect(await placesOf({ agent: null, agent_settings: { llm: bad } })).toEqual([
      ['body', 'agent_settings', ...llmUrl],
    ]);
    const { body } = await start({});
    const here = `/api/conversations/${body.id}`;
    expect(await at('POST', `${here}/switch_llm`, { llm: bad })).toEqual(['body', ...llmUrl]);
    expect(await at('POST', '/api/profiles/bad', { llm: bad })).toEqual(['body', ...llmUrl]);
    expect(await at('PATCH', '/api/settings', { agent_settings_diff: { llm: bad } })).toEqual([
      'body',
      'agent_settings_diff',
      ...llmUrl,
    ]);
  });

  test('a profile on disk with a bad base URL is refused with its place, and stays readable', async () => {
    const stored = { model: 'openai/test-model', base_url: 'localhost:1234' };
    mkdirSync(join(cwd, 'workspace/.openhands/profiles'), { recursive: true });
    writeFileSync(join(cwd, 'workspace/.openhands/profiles/foreign.json'), JSON.stringify(stored));
    const shown = await server.call('GET', '/api/profiles/foreign');
    expect(shown).toMatchObject({ status: 200, body: { config: stored } });
    const { body } = await start({});
    const named = { profile_name: 'foreign' };
    expect(await server.call('POST', `/api/conversations/${body.id}/switch_profile`, named)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'profile_name'], msg: expect.stringContaining('is not an http(s) URL') }] },
    });
    await server.call('POST', '/api/agent-profiles/foreigner', { llm_profile_ref: 'foreign' });
    const { body: foreigner } = await server.call<{ profile: { id: string } }>('GET', '/api/agent-profiles/foreigner');
    expect(await placesOf({ agent: null, agent_profile_id: foreigner.profile.id })).toEqual([
      ['body', 'agent_profile_id'],
    ]);
  });

  test('a model that falls back to a profile with a bad base URL is refused with both names', async () => {
    mkdirSync(join(cwd, 'workspace/.openhands/profiles'), { recursive: true });
    const stored = { model: 'openai/test-model', base_url: 'localhost:1234' };
    writeFileSync(join(cwd, 'workspace/.openhands/profiles/spare.json'), JSON.stringify(stored));
    const fallback = { fallback_strategy: { kind: 'FallbackStrategy', fallback_llms: ['nobody', 'spare'] } };
    const falling = { ...llm, ...fallback };
    const place = ['fallback_strategy', 'fallback_llms', 1];
    const agent = { kind: 'Agent', llm: falling, tools: [] };
    expect(await placesOf({ agent })).toEqual([['body', 'agent', 'llm', ...place]]);
    const condenser = { kind: 'LLMSummarizingCondenser', llm: falling };
    expect(await placesOf({ agent: { ...agent, llm, condenser } })).toEqual([
      ['body', 'agent', 'condenser', 'llm', ...place],
    ]);
    const { body } = await start({});
    expect(await server.call('POST', `/api/conversations/${body.id}/switch_llm`, { llm: falling })).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'llm', ...place],
            msg: expect.stringContaining(
              "base_url of the profile 'spare' is not an http(s) URL; write it with its scheme",
            ),
          },
        ],
      },
    });
    await server.call('POST', '/api/profiles/careful', { llm: falling });
    expect(
      await server.call('POST', `/api/conversations/${body.id}/switch_profile`, { profile_name: 'careful' }),
    ).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'profile_name'], msg: expect.stringContaining("the profile 'spare'") }] },
    });
  });

  test.each(['', null])('a model with the base URL %j is accepted, wherever a model is sent', async (url) => {
    const without = { ...llm, base_url: url };
    const { status, body } = await start({ agent: { kind: 'Agent', llm: without, tools: [] } });
    expect(status).toBe(201);
    for (const [method, path, change] of [
      ['POST', `/api/conversations/${body.id}/switch_llm`, { llm: without }],
      ['POST', '/api/profiles/none', { llm: without }],
      ['PATCH', '/api/settings', { agent_settings_diff: { llm: without } }],
    ] as const)
      expect((await server.call(method, path, change)).status).toBeLessThan(300);
  });
});

describe('settings that clients keep', () => {
  test('P13: settings are refused with an invalid MCP server and with an unknown profile', async () => {
    const patch = (body: JsonObject) => server.call('PATCH', '/api/settings', body);
    for (const config of [
      { mcpServers: {} },
      { mcpServers: { a: { url: 'http://x' } } },
      { a: {} },
      { a: { url: 'http://x', b: 1 } },
    ]) {
      const { status, body } = await patch({ agent_settings_diff: { mcp_config: config } });
      expect(status).toBe(422);
      expect(body['detail']).toContain('mcp_config.');
    }
    expect((await patch({ active_profile: 'nobody' })).status).toBe(404);
    const { body } = await server.call('GET', '/api/settings');
    expect(body).toMatchObject({ active_profile: null, agent_settings: { mcp_config: {} } });
  });

  test('settings take the model of the profile that becomes the active one', async () => {
    await server.call('POST', '/api/profiles/mine', { llm: { ...llm, model: 'openai/mine' } });
    const { status, body } = await server.call('PATCH', '/api/settings', { active_profile: 'mine' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ active_profile: 'mine', agent_settings: { llm: { model: 'openai/mine' } } });
  });

  test.each<[string, JsonObject]>([
    ['is empty', {}],
    ['names no model', { agent_kind: 'openhands' }],
    ['is of an unknown kind', { agent_kind: 'robot', llm_profile_ref: 'mine' }],
    ['names no ACP server', { agent_kind: 'acp' }],
  ])('P13: an agent profile that %s is refused', async (_, profile) => {
    expect((await server.call('POST', '/api/agent-profiles/wrong', profile)).status).toBe(422);
  });

  test('the check of a profile asks its model', async () => {
    const check = (body: JsonObject) => server.call('POST', '/api/profiles/new/validate', body);
    expect((await check({})).status).toBe(422);
    expect((await check({ llm })).body).toEqual({ valid: true, error: null });
    const unknown = await check({ llm: { model: 'bedrock/x' } });
    expect(unknown.body).toMatchObject({
      valid: false,
      error: { type: 'LlmError', message: expect.stringContaining('bedrock') },
    });
  });
});
