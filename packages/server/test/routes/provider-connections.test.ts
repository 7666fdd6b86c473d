import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { MemoryStore } from '@conv/core/store';
import type { JsonObject } from '@conv/core';
import type { SettingsResponse } from '@conv/openhands/rest';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ProviderConnectionInfo } from '../../src/settings/provider-connections.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { startServer, type Answer, type TestServer } from '../support/test-server.ts';

const KEY = 'sk-very-secret-0123456789';
const OTHER = 'sk-other-secret-9876543210';
const AT = '/api/llm/provider-connections';

let server: TestServer;
let folder: string;
let store: SettingsStore;

beforeEach(async () => {
  const outer = await startServer();
  folder = join(outer.folder, 'kept');
  store = new SettingsStore(folder, cipher);
  server = await startServer({ cipher, settingsStore: store, profiles: store, store: new MemoryStore() });
});

function call<Body = JsonObject>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
  return server.call<Body>(method, path, body);
}

async function connect(more: JsonObject = {}): Promise<ProviderConnectionInfo> {
  const body = {
    display_name: 'Ours',
    provider: 'anthropic',
    api_key: KEY,
    base_url: 'https://models.example',
    ...more,
  };
  const made = await call<ProviderConnectionInfo>('POST', AT, body);
  expect(made.status).toBe(201);
  return made.body;
}

const link = (name: string, id: string, more: JsonObject = {}): Promise<Answer> =>
  call('POST', `/api/profiles/${name}`, { llm: { model: 'm', provider_connection_id: id, ...more } });

describe('a provider connection', () => {
  it('a connection is made with its members, listed without its key, changed and removed', async () => {
    const made = await connect();
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      display_name: 'Ours',
      provider: 'anthropic',
      base_url: 'https://models.example',
      created_at: made.created_at,
      updated_at: made.created_at,
      api_key_set: true,
    });
    expect((await call('GET', AT)).body).toEqual([made]);
    const file = readFileSync(join(folder, 'provider-connections/provider_connections.json'), 'utf8');
    expect(file).not.toContain(KEY);
    const { connections } = JSON.parse(file) as { readonly connections: readonly { readonly api_key: string }[] };
    expect(cipher.decrypt(connections[0]?.api_key ?? '')).toBe(KEY);
    const changed = await call('PATCH', `${AT}/${made.id}`, { display_name: 'Theirs', base_url: null });
    expect(changed.body).toMatchObject({ display_name: 'Theirs', base_url: null, api_key_set: true });
    expect(await call('DELETE', `${AT}/${made.id}`)).toMatchObject({
      status: 200,
      body: { id: made.id, api_key_set: false },
    });
    expect((await call('GET', AT)).body).toEqual([]);
    for (const method of ['PATCH', 'DELETE'] as const)
      expect(await call(method, `${AT}/${made.id}`, method === 'PATCH' ? { provider: 'x' } : undefined)).toMatchObject({
        status: 404,
        body: { detail: `Provider connection '${made.id}' not found` },
      });
  });

  it('a connection is refused without a real key and with members that cannot be cleared', async () => {
    const whole = { display_name: 'Ours', api_key: KEY };
    for (const wrong of [
      { display_name: 'Ours' },
      { ...whole, api_key: '  ' },
      { ...whole, api_key: '**********' },
      { ...whole, display_name: '' },
      { ...whole, base_url: 'models.example' },
      { ...whole, base_url: 'https://models.example/v1/chat/completions' },
    ]) {
      const refused = await call('POST', AT, wrong);
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).not.toContain(KEY);
    }
    const { id } = await connect();
    for (const wrong of [{}, { api_key: null }, { api_key: '**********' }, { display_name: null }, { base_url: 'x' }])
      expect((await call('PATCH', `${AT}/${id}`, wrong)).status).toBe(422);
    expect((await call<readonly JsonObject[]>('GET', AT)).body).toMatchObject([{ api_key_set: true }]);
  });

  it('a connection shows no password of its address, neither in the clear nor encrypted', async () => {
    const { body } = await call<JsonObject>('POST', AT, {
      display_name: 'Ours',
      api_key: KEY,
      base_url: 'https://me:a-password@models.example/v1',
    });
    expect(body['base_url']).toBe('https://me:**********@models.example/v1');
    expect((await call<readonly JsonObject[]>('GET', AT)).body).toEqual([body]);
  });

  it('a connection that cannot be read answers 400, and stays as it is', async () => {
    await connect();
    const file = join(folder, 'provider-connections/provider_connections.json');
    for (const text of ['{', '{"schema_version":2,"connections":[]}', '{"connections":[{}]}']) {
      writeFileSync(file, text);
      expect((await call('GET', AT)).status).toBe(400);
      expect((await call('POST', AT, { display_name: 'Ours', api_key: KEY })).status).toBe(400);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  it('a connection is one of sixty-four at most', async () => {
    for (let n = 0; n < 64; n++)
      await store.providerConnections.create({ display_name: `${n}`, provider: 'x', api_key: KEY, base_url: null });
    expect(await call('POST', AT, { display_name: 'one more', api_key: KEY })).toMatchObject({
      status: 409,
      body: { detail: 'Provider connection limit reached (64). Delete one before adding another.' },
    });
  });

  it('a connection is not removed while profiles or settings use it', async () => {
    const { id } = await connect();
    await link('a', id);
    await call('POST', '/api/profiles/a/activate');
    const refused = await call('DELETE', `${AT}/${id}`);
    expect(refused).toMatchObject({ status: 409 });
    expect(JSON.stringify(refused.body)).toContain(
      'referenced by LLM profile(s): a and referenced by the active agent settings',
    );
    await call('DELETE', '/api/profiles/a');
    await call('PATCH', '/api/settings', { agent_settings_diff: { llm: { provider_connection_id: null } } });
    expect((await call('DELETE', `${AT}/${id}`)).status).toBe(200);
  });
});

describe('a profile of a provider connection', () => {
  it('a profile of a connection has the key and the address of the connection, and none of its own', async () => {
    const { id } = await connect();
    await link('a', id, { api_key: OTHER, base_url: 'https://elsewhere.example' });
    expect(readFileSync(join(folder, 'profiles/a.json'), 'utf8')).not.toContain('elsewhere');
    expect((await call<{ profiles: JsonObject[] }>('GET', '/api/profiles')).body.profiles).toMatchObject([
      { name: 'a', provider_connection_id: id, provider_connection_broken: false, api_key_set: true },
    ]);
    const llm = await store.llm('a');
    expect(llm).toMatchObject({ model: 'm', base_url: 'https://models.example', provider_connection_id: id });
    expect(cipher.decrypt(llm?.['api_key'] as string)).toBe(KEY);
    await call('PATCH', `${AT}/${id}`, { api_key: OTHER, base_url: null });
    const changed = await store.models.get('a');
    expect(changed).toMatchObject({ base_url: null });
    expect(cipher.decrypt(changed?.['api_key'] as string)).toBe(OTHER);
  });

  it('a profile cannot be used without its connection, and says so', async () => {
    await link('a', 'gone');
    expect((await call<{ profiles: JsonObject[] }>('GET', '/api/profiles')).body.profiles).toMatchObject([
      { provider_connection_broken: true, api_key_set: false },
    ]);
    const { id } = await server.make();
    for (const refused of [
      await call('POST', '/api/profiles/a/activate'),
      await call('PATCH', '/api/settings', { active_profile: 'a' }),
      await call('POST', `/api/conversations/${id}/switch_profile`, { profile_name: 'a' }),
      await call('POST', `/api/conversations/${id}/switch_llm`, {
        llm: { model: 'm', provider_connection_id: 'gone' },
      }),
    ]) {
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain("provider connection 'gone', which does not exist");
    }
  });

  it('a profile replaces the model before it as a whole, so that no key goes to a foreign address', async () => {
    const { id } = await connect();
    await link('a', id);
    await call('POST', '/api/profiles/b', { llm: { model: 'other', api_key: OTHER } });
    await call('POST', '/api/profiles/a/activate');
    for (const activate of [
      () => call('POST', '/api/profiles/b/activate'),
      () => call('PATCH', '/api/settings', { active_profile: 'b' }),
    ]) {
      await call('POST', '/api/profiles/a/activate');
      await activate();
      const { agent_settings: agent } = (await call<SettingsResponse>('GET', '/api/settings')).body;
      expect(agent['llm']).toEqual({ model: 'other', api_key: '**********' });
    }
  });
});
