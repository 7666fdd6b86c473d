import { MemoryRegistry, RegistryError } from '@conv/store-kit/registry';
import { beforeEach, expect, test } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { StoredObjectError } from '../../src/settings/stored-object-error.ts';
import { cipherOf } from '../support/test-cipher.ts';
import { startServer } from '../support/test-server.ts';

const cipher = cipherOf('key-1');
let registry: MemoryRegistry;
let one: SettingsStore;
/** As another server of the fleet has it. */
let other: SettingsStore;

beforeEach(() => {
  registry = new MemoryRegistry();
  one = new SettingsStore(registry, cipher);
  other = new SettingsStore(registry, cipher);
});

async function allText(): Promise<string> {
  const kinds = ['settings', 'llm-profiles', 'agent-profiles'];
  return JSON.stringify(await Promise.all(kinds.map((kind) => registry.list(kind))));
}

test('settings of one server are those of every server on the registry, with encrypted secrets', async () => {
  await one.settings.patch({ agent_settings_diff: { llm: { model: 'openai/x', api_key: 'sk-very-secret' } } });
  await one.secrets.set('TOKEN', 'very-secret-token', 'for deploys');
  await one.llmProfiles.save('fast', { model: 'openai/y', api_key: 'sk-of-profile' }, { includeSecrets: true });
  await one.workspaces.add('workspaces', [{ id: '1', name: 'a', path: '/a' }]);
  expect((await other.settings.get()).agent_settings['llm']).toMatchObject({ model: 'openai/x' });
  expect(await other.secrets.value('TOKEN')).toBe('very-secret-token');
  expect(await other.llmProfiles.list()).toMatchObject([{ name: 'fast', model: 'openai/y', api_key_set: true }]);
  expect((await other.workspaces.get()).workspaces).toEqual([{ id: '1', name: 'a', path: '/a' }]);
  expect(await allText()).not.toMatch(/very-secret|sk-of-profile/);
});

test('looking at settings stores nothing', async () => {
  await one.settings.get();
  await one.secrets.list();
  await one.llmProfiles.list();
  expect((await registry.list('settings')).items).toEqual([]);
});

test('changes that two servers make at once are all kept', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `m${at}`);
  const change = (name: string, at: number): Promise<unknown> =>
    (at % 2 === 0 ? one : other).settings.patch({ misc_settings_diff: { [name]: true } });
  await Promise.all(names.map(change));
  expect(Object.keys((await one.settings.get()).misc_settings).toSorted()).toEqual(names.toSorted());
});

test('a profile is renamed and deleted for every server', async () => {
  await one.llmProfiles.save('fast', { model: 'openai/y' }, { includeSecrets: true });
  await one.llmProfiles.save('slow', { model: 'openai/z' }, { includeSecrets: true });
  expect(await other.llmProfiles.rename('fast', 'slow')).toBe('exists');
  expect(await other.llmProfiles.rename('fast', 'quick')).toBeUndefined();
  expect(await one.llmProfiles.names()).toEqual(['quick', 'slow']);
  expect(await one.llmProfiles.delete('slow')).toBe(true);
  expect(await other.llmProfiles.delete('slow')).toBe(false);
  expect(await other.llmProfiles.names()).toEqual(['quick']);
});

test('an agent profile keeps its id on every server', async () => {
  const { id } = await one.agentProfiles.save('coder', {});
  expect(await other.agentProfiles.save('coder', {})).toMatchObject({ id, revision: 1 });
  expect(await other.agent(id)).toMatchObject({ launched: { agent_profile_id: id, revision: 1 } });
});

test('a new secret key encrypts every record anew, and the old key is needed no more', async () => {
  await one.settings.patch({ agent_settings_diff: { llm: { api_key: 'sk-very-secret' } } });
  await one.secrets.set('TOKEN', 'very-secret-token', null);
  await one.llmProfiles.save('fast', { model: 'y', api_key: 'sk-of-profile' }, { includeSecrets: true });
  const failed: unknown[] = [];
  await new SettingsStore(registry, cipherOf('key-2', 'key-1')).renew((error) => failed.push(error));
  expect(failed).toEqual([]);
  const tokens = (await allText()).match(/gAAAAA[\w-]{20,}={0,2}/g) ?? [];
  expect(tokens.map((token) => cipherOf('key-2').decrypt(token))).toEqual([
    'very-secret-token',
    'sk-very-secret',
    'sk-of-profile',
  ]);
});

test.each([
  ['a list', ['no settings']],
  ['a text', 'no settings'],
  ['null', null],
])('a record that is %s is refused by name, and stays as it is', async (_, value) => {
  await registry.put('settings', 'settings', value, { expected: null });
  await expect(one.settings.get()).rejects.toThrow(StoredObjectError);
  await expect(one.settings.patch({ active_profile: 'x' })).rejects.toThrow('settings/settings of the registry');
  expect((await registry.get('settings', 'settings'))?.value).toEqual(value);
});

test('a route names a damaged record, a value that is too large, and a registry that does not answer', async () => {
  const held = new MemoryRegistry();
  const server = await startServer({ cipher, settingsStore: new SettingsStore(held, cipher) });
  const patch = (value: string): Promise<{ status: number; body: unknown }> =>
    server.call('PATCH', '/api/settings', { misc_settings_diff: { value } });
  const answers = [await patch('x'.repeat(300_000))];
  for (const code of ['DAMAGED', 'UNAVAILABLE'] as const) {
    held.get = () => Promise.reject(new RegistryError(code, 'as a test says'));
    answers.push(await server.call('GET', '/api/settings'));
  }
  expect(answers.map(({ status }) => status)).toEqual([413, 409, 503]);
});

test.each([undefined, null, 7, {}])('a settings store on %j is refused', (wrong) => {
  expect(() => new SettingsStore(wrong as never, cipher)).toThrow(TypeError);
});
