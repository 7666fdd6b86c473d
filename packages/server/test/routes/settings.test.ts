import { initialFields, type JsonObject, type StuckDetector } from '@conv/core';
import { ModelScript } from '@conv/conformance';
import { describe, expect, test } from 'vitest';

import { ended, kinds, message } from '../support/conversation-calls.ts';
import { newConversation, startServer, type Answer, type TestServer } from '../support/test-server.ts';
import { testCipher } from '../support/test-cipher.ts';

const post = (server: TestServer, id: string, path: string, body?: unknown): Promise<Answer> =>
  server.call('POST', `/api/conversations/${id}/${path}`, body);

describe('settings', () => {
  test('settings of policy and analyzer hold at once, and are told of', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const policy = { kind: 'ConfirmRisky', threshold: 'MEDIUM', confirm_unknown: true };
    expect((await post(server, id, 'confirmation_policy', { policy })).body).toEqual({ success: true });
    expect(
      (await post(server, id, 'security_analyzer', { security_analyzer: { kind: 'LLMSecurityAnalyzer' } })).status,
    ).toBe(200);
    expect(await server.info(id)).toMatchObject({
      confirmation_policy: policy,
      security_analyzer: { kind: 'LLMSecurityAnalyzer' },
    });
    expect((await post(server, id, 'security_analyzer', { security_analyzer: null })).status).toBe(200);
    expect((await server.info(id)).security_analyzer).toBeNull();
    expect((await post(server, id, 'security_analyzer', {})).status).toBe(422);
    expect((await post(server, id, 'confirmation_policy', { policy: { kind: 'Sometimes' } })).status).toBe(422);
  });

  test('P9: settings of an analyzer keep its key encrypted at rest, and never show it', async () => {
    const server = await startServer({ cipher: testCipher });
    const analyzer = { kind: 'GraySwanAnalyzer', api_key: 'gray-secret-0123456789', policy_id: 'p' };
    const { id } = await server.make({ security_analyzer: analyzer });
    await post(server, id, 'security_analyzer', { security_analyzer: analyzer });
    expect((await server.info(id)).security_analyzer).toMatchObject({
      kind: 'GraySwanAnalyzer',
      api_key: null,
      policy_id: 'p',
    });
    const reader = await server.store.read(id);
    const stored: string[] = [];
    for await (const commit of reader?.commits() ?? []) stored.push(JSON.stringify(commit));
    expect(stored.join('')).toContain(testCipher.encrypt('gray-secret-0123456789'));
    expect(stored.join('')).not.toContain('gray-secret');
  });

  test('settings of the model come from the request or a profile, and its builder gets plain secrets', async () => {
    const built: JsonObject[] = [];
    const server = await startServer({
      turns: [{ text: 'first' }],
      cipher: testCipher,
      models: async (llm) => {
        if (llm['model'] === 'broken') throw new Error('it has no price');
        built.push(llm);
        return new ModelScript([{ text: `from ${llm['model'] as string}` }]);
      },
      profiles: {
        llm: async (name) =>
          name === 'fast' ? { model: 'of-profile', api_key: testCipher.encrypt('profile-key') } : undefined,
        agent: async () => undefined,
      },
    });
    const { id } = await server.make();
    expect(
      (await post(server, id, 'switch_llm', { llm: { model: 'other', api_key: testCipher.encrypt('llm-key') } }))
        .status,
    ).toBe(200);
    expect((await post(server, id, 'switch_profile', { profile_name: 'fast' })).status).toBe(200);
    expect(built).toMatchObject([
      { model: 'other', api_key: 'llm-key' },
      { model: 'of-profile', api_key: 'profile-key' },
    ]);
    await post(server, id, 'events', message('hi', { run: true }));
    await ended(server, id);
    expect((await server.call('GET', `/api/conversations/${id}/agent_final_response`)).body).toEqual({
      response: 'from of-profile',
    });
    const unknown = await post(server, id, 'switch_profile', { profile_name: 'slow' });
    expect([unknown.status, unknown.body['detail']]).toEqual([404, "Profile 'slow' not found"]);
    const broken = await post(server, id, 'switch_llm', { llm: { model: 'broken' } });
    expect([broken.status, broken.body['detail']]).toEqual([400, 'The model cannot be used: it has no price']);
  });

  test('settings that this server does not have are refused and change nothing', async () => {
    const server = await startServer();
    const { id } = await server.make();
    for (const [path, body, status] of [
      ['switch_llm', { llm: { model: 'x' } }, 400],
      ['switch_profile', { profile_name: 'x' }, 404],
      ['switch_acp_model', { model: 'x' }, 400],
      ['load_plugin', { plugin_ref: 'x' }, 400],
      ['secrets', { secrets: { TOKEN: 'a-secret-value-0123' } }, 409],
      ['condense', undefined, 409],
      ['goal/resume', undefined, 400],
    ] as const) {
      const answer = await post(server, id, path, body);
      expect([path, answer.status]).toEqual([path, status]);
      expect(typeof answer.body['detail']).toBe('string');
    }
    expect((await post(server, id, 'goal/stop')).body).toEqual({ success: true });
    expect(await kinds(server, id)).toEqual([]);
  });
});

test('P8: a side question is answered and changes nothing; a blank one is refused', async () => {
  const server = await startServer({ turns: [{ text: 'aside' }] });
  const { id } = await server.make({ initial_message: message('hi', { run: false }) });
  const before = await kinds(server, id);
  const { body } = await post(server, id, 'ask_agent', { question: 'why?' });
  expect(body).toMatchObject({ response: 'aside', record: { kind: 'model_call' } });
  expect((await post(server, id, 'ask_agent', { question: '  ' })).status).toBe(422);
  expect((await post(server, id, 'ask_agent', {})).status).toBe(422);
  expect((await post(server, id, 'ask_agent', { question: 'and now?' })).status).toBe(502);
  expect(await kinds(server, id)).toEqual(before);
  expect((await server.info(id)).execution_status).toBe('idle');
});

test('secrets that a client sends encrypted are read with the key of the server, and with no other', async () => {
  const server = await startServer({ cipher: testCipher });
  const start = (key: string): Promise<Answer> =>
    server.call('POST', '/api/conversations', {
      ...newConversation(server.folder),
      agent: { kind: 'Agent', llm: { model: 'scripted', api_key: key } },
      secrets_encrypted: true,
    });
  expect((await start(testCipher.encrypt('sk-sent-encrypted'))).status).toBe(201);
  const other = await start(testCipher.encrypt('other key: sk-sent'));
  expect(other.status).toBe(422);
  expect(JSON.stringify(other.body)).not.toContain('gAAAAA');
});

test('loops are found as soon as the creator of the conversation wants it, and wrong wishes are refused', async () => {
  const asked: JsonObject[] = [];
  const stuckDetectorWith = (thresholds: JsonObject): StuckDetector => {
    if (typeof thresholds['action_error'] !== 'number') throw new Error('action_error must be a number');
    asked.push(thresholds);
    return { initial: 0, apply: (state) => state, find: () => undefined };
  };
  const first = await startServer({ stuckDetectorWith });
  const wrong = { ...newConversation(first.folder), stuck_detection_thresholds: { action_error: 'often' } };
  expect((await first.call('POST', '/api/conversations', wrong)).status).toBe(422);
  const { id } = await first.make({ stuck_detection_thresholds: { action_error: 2 } });
  await first.close();
  asked.length = 0;
  const server = await startServer({ store: first.store, stuckDetectorWith });
  await post(server, id, 'events', message('hi'));
  expect(asked).toEqual([{ action_error: 2 }]);
});

test('P4: damage_confirmed ends the distrust of the settings, and only true does', async () => {
  const first = await startServer();
  const { id } = await first.make();
  await first.close();
  const journal = await first.store.open(id, { owner: 'somebody' });
  await journal.append({ id: 'distrust', events: [], patch: { set: { damaged: true } } }, initialFields);
  await journal.close();
  const server = await startServer({ store: first.store });
  expect((await server.info(id)).damaged).toBe(true);
  const change = (confirmed: boolean) =>
    server.call('POST', `/api/conversations/${id}/settings`, { damage_confirmed: confirmed });
  expect((await change(false)).status).toBe(422);
  expect((await server.info(id)).damaged).toBe(true);
  expect((await change(true)).status).toBe(200);
  expect((await server.info(id)).damaged).toBe(false);
});
