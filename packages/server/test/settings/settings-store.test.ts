import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Cipher, JsonObject } from '@conv/core';
import { agentProfileRoutes } from '@conv/openhands/rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { exposed } from '../../src/settings/secret-exposure.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';

const REDACTED = '**********';
const PREFIX = `gAAAAA${'A'.repeat(60)}`;
/** Stands in for the wire's cipher: tokens look like its own, and hold nothing readable. */
const cipher: Cipher = {
  encrypt: (plain) => PREFIX + Buffer.from(plain, 'utf8').toString('base64url'),
  decrypt: (token) =>
    token.startsWith(PREFIX) ? Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8') : undefined,
};

let folder: string;
let settingsStore: SettingsStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-keep-'));
  settingsStore = new SettingsStore(folder, cipher);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

describe('settings', () => {
  it('settings are defaults until something is set, and a look at them writes nothing', async () => {
    const settings = await settingsStore.settings.get();
    expect(settings.agent_settings).toMatchObject({ agent_kind: 'openhands', tool_concurrency_limit: 1 });
    expect(settings.conversation_settings).toMatchObject({ max_iterations: 500, confirmation_mode: false });
    expect(existsSync(join(folder, 'settings.json'))).toBe(false);
  });

  it('settings are merged member by member, kept across a restart, and secret in the file', async () => {
    await settingsStore.settings.patch({
      agent_settings_diff: { llm: { model: 'openai/gpt-4o', api_key: 'sk-very-secret' } },
    });
    await settingsStore.settings.patch({
      agent_settings_diff: { llm: { temperature: 0 } },
      conversation_settings_diff: { max_iterations: 7 },
      misc_settings_diff: { theme: 'dark' },
      active_profile: 'fast',
    });
    const {
      agent_settings: agent,
      conversation_settings: conversation,
      misc_settings: misc,
      active_profile,
    } = await new SettingsStore(folder, cipher).settings.get();
    expect(agent['llm']).toMatchObject({
      model: 'openai/gpt-4o',
      temperature: 0,
      api_key: cipher.encrypt('sk-very-secret'),
    });
    expect(conversation).toMatchObject({ max_iterations: 7, confirmation_mode: false });
    expect([active_profile, misc]).toEqual(['fast', { theme: 'dark' }]);
    expect(file('settings.json')).not.toContain('sk-very-secret');
    expect(statSync(join(folder, 'settings.json')).mode & 0o777).toBe(0o600);
  });

  it('settings are secret within addresses and arguments, and keep what comes back as it was shown', async () => {
    const llm = { model: 'openai/x', base_url: 'https://ann:pass-0123456@host/v1' };
    const server = {
      url: 'https://ann:pass-1234567@host/mcp?api_key=key-0123456&a=1',
      args: ['--api-key', 'key-1234567'],
    };
    await settingsStore.settings.patch({ agent_settings_diff: { llm, mcp_config: { one: server } } });
    expect(file('settings.json')).not.toMatch(/pass-\d|key-\d/);
    const shown = exposed((await settingsStore.settings.get()).agent_settings, 'redacted', cipher);
    expect(shown).toMatchObject({
      llm: { base_url: `https://ann:${REDACTED}@host/v1` },
      mcp_config: {
        one: { url: `https://ann:${REDACTED}@host/mcp?api_key=${REDACTED}&a=1`, args: ['--api-key', REDACTED] },
      },
    });
    await settingsStore.settings.patch({ agent_settings_diff: shown });
    const { one } = shown['mcp_config'] as { readonly one: JsonObject };
    await settingsStore.settings.changeServer('one', { patch: { ...one, timeout: 7 } });
    expect(exposed((await settingsStore.settings.get()).agent_settings, 'plaintext', cipher)).toMatchObject({
      llm,
      mcp_config: { one: { ...server, timeout: 7 } },
    });
  });

  it('settings keep a secret that comes back as asterisks', async () => {
    await settingsStore.settings.patch({ agent_settings_diff: { llm: { api_key: 'sk-very-secret' } } });
    await settingsStore.settings.patch({ agent_settings_diff: { llm: { model: 'x', api_key: REDACTED } } });
    expect((await settingsStore.settings.get()).agent_settings['llm']).toMatchObject({
      api_key: cipher.encrypt('sk-very-secret'),
    });
  });

  it('P9: settings and profiles of an earlier version are read without variables of programs', async () => {
    const program = { agent_kind: 'acp', acp_server: 'custom', acp_env: { SERVICE: 'value-of-a-variable' } };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ agent_settings: program }));
    mkdirSync(join(folder, 'agent-profiles'));
    writeFileSync(join(folder, 'agent-profiles/old.json'), JSON.stringify({ ...program, name: 'old' }));
    expect((await settingsStore.settings.get()).agent_settings).not.toHaveProperty('acp_env');
    const profile = await settingsStore.agentProfiles.get('old');
    expect(profile?.stored).toMatchObject({ acp_server: 'custom' });
    expect(agentProfileRoutes.save.body?.safeParse(profile?.stored).success).toBe(true);
    await settingsStore.settings.patch({ active_profile: 'fast' });
    expect(file('settings.json')).not.toContain('SERVICE');
  });

  it('settings are as they were when a change is refused', async () => {
    await settingsStore.settings.patch({ active_profile: 'one' });
    const refused = settingsStore.settings.patch({ active_profile: 'two' }, () => {
      throw new RangeError('not this one');
    });
    await expect(refused).rejects.toThrow('not this one');
    expect((await settingsStore.settings.get()).active_profile).toBe('one');
  });

  it('settings lose nothing when they are changed many times at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `m${index}`);
    await Promise.all(names.map((name) => settingsStore.settings.patch({ misc_settings_diff: { [name]: true } })));
    expect(Object.keys((await settingsStore.settings.get()).misc_settings).toSorted()).toEqual(names.toSorted());
  });

  it('settings hold MCP servers, which are added once, changed and removed', async () => {
    const add = { command: 'npx', env: { TOKEN: 'very-secret' } };
    expect(await settingsStore.settings.changeServer('files', { add })).toMatchObject({
      agent_settings: { mcp_config: { files: {} } },
    });
    expect(await settingsStore.settings.changeServer('files', { add })).toBe('exists');
    expect(file('settings.json')).not.toContain('very-secret');
    await settingsStore.settings.changeServer('files', {
      patch: { args: ['-y'], env: { TOKEN: REDACTED }, command: null, url: 'http://x' },
    });
    expect((await settingsStore.settings.get()).agent_settings['mcp_config']).toEqual({
      files: { args: ['-y'], url: 'http://x', env: { TOKEN: cipher.encrypt('very-secret') } },
    });
    expect(await settingsStore.settings.changeServer('other', { patch: {} })).toBe('missing');
    expect(await settingsStore.settings.changeServer('files', 'remove')).toMatchObject({
      agent_settings: { mcp_config: {} },
    });
    expect(await settingsStore.settings.changeServer('files', 'remove')).toBe('missing');
  });

  it('settings say that their file is damaged, and leave it as it is', async () => {
    writeFileSync(join(folder, 'settings.json'), '{"agent_settings": ');
    await expect(settingsStore.settings.get()).rejects.toThrow('settings.json is damaged');
    await expect(settingsStore.settings.patch({ active_profile: 'x' })).rejects.toMatchObject({
      name: 'StoredObjectError',
    });
    expect(file('settings.json')).toBe('{"agent_settings": ');
  });

  it('settings keep members that are unknown here', async () => {
    writeFileSync(join(folder, 'settings.json'), '{"agent_settings": {"later": 1}, "also_later": 2}');
    await settingsStore.settings.patch({ active_profile: 'x' });
    expect(JSON.parse(file('settings.json'))).toMatchObject({ agent_settings: { later: 1 }, also_later: 2 });
  });
});

describe('secrets', () => {
  it('secrets are listed without their values, handed out by name, and encrypted in the file', async () => {
    await settingsStore.secrets.set('TOKEN', 'very-secret', 'of the service');
    await settingsStore.secrets.set('ANOTHER', 'v', undefined);
    await settingsStore.secrets.set('TOKEN', 'newer-secret', undefined);
    const again = new SettingsStore(folder, cipher).secrets;
    expect(await again.list()).toEqual([
      { name: 'ANOTHER', description: null },
      { name: 'TOKEN', description: 'of the service' },
    ]);
    expect(await again.value('TOKEN')).toBe('newer-secret');
    expect(await again.value('constructor')).toBeUndefined();
    expect(file('secrets.json')).not.toMatch(/very-secret|newer-secret/);
    expect(await again.delete('TOKEN')).toBe(true);
    expect(await again.delete('TOKEN')).toBe(false);
  });

  it('secrets of another key are damage, not an empty value', async () => {
    await settingsStore.secrets.set('TOKEN', 'very-secret', null);
    const other: Cipher = { encrypt: (plain) => plain, decrypt: () => undefined };
    await expect(new SettingsStore(folder, other).secrets.value('TOKEN')).rejects.toThrow(
      'another key; start the server with that key, or remove it',
    );
  });

  it('secrets are in memory alone where there is no cipher', async () => {
    const plain = new SettingsStore(folder, undefined);
    await plain.secrets.set('TOKEN', 'very-secret', null);
    expect(await plain.secrets.value('TOKEN')).toBe('very-secret');
    expect(file('secrets.json')).not.toContain('very-secret');
  });
});

describe('profiles of models', () => {
  const llm: JsonObject = { model: 'anthropic/claude', base_url: null, api_key: 'sk-very-secret' };

  it('profiles of models are listed, read, renamed and deleted by name, with encrypted keys', async () => {
    await settingsStore.llmProfiles.save('fast', llm, { includeSecrets: true });
    await settingsStore.llmProfiles.save('plain', llm, { includeSecrets: false });
    expect(await settingsStore.llmProfiles.list()).toMatchObject([
      { name: 'fast', model: 'anthropic/claude', base_url: null, api_key_set: true },
      { name: 'plain', api_key_set: false },
    ]);
    expect(await settingsStore.llm('fast')).toEqual({
      model: 'anthropic/claude',
      api_key: cipher.encrypt('sk-very-secret'),
    });
    expect(file('profiles/fast.json')).not.toContain('sk-very-secret');
    expect(await settingsStore.llmProfiles.rename('fast', 'plain')).toBe('exists');
    expect(await settingsStore.llmProfiles.rename('gone', 'x')).toBe('missing');
    expect(await settingsStore.llmProfiles.rename('fast', 'quick')).toBeUndefined();
    expect((await settingsStore.llmProfiles.list()).map(({ name }) => name)).toEqual(['plain', 'quick']);
    expect(await settingsStore.llmProfiles.delete('quick')).toBe(true);
    expect(await settingsStore.llmProfiles.delete('quick')).toBe(false);
  });

  it('a profile keeps a key that comes back as asterisks, and loses members that are not sent again', async () => {
    await settingsStore.llmProfiles.save('fast', { ...llm, temperature: 1 }, { includeSecrets: true });
    await settingsStore.llmProfiles.save('fast', { model: 'other', api_key: REDACTED }, { includeSecrets: true });
    expect(await settingsStore.llm('fast')).toEqual({ model: 'other', api_key: cipher.encrypt('sk-very-secret') });
  });

  it.each(['../settings', 'a/b', '.hidden', '', 'x'.repeat(65)])(
    'profiles of models are never called %j',
    async (name) => {
      await settingsStore.settings.patch({ active_profile: 'x' });
      expect(await settingsStore.llm(name)).toBeUndefined();
      expect(await settingsStore.llmProfiles.delete(name)).toBe(false);
      await expect(settingsStore.llmProfiles.save(name, llm, { includeSecrets: true })).rejects.toThrow(
        'expected a name of up to 64',
      );
      expect(existsSync(join(folder, 'settings.json'))).toBe(true);
    },
  );
});

describe('profiles of agents', () => {
  it('profiles of agents keep their id and count their changes, under another name too', async () => {
    const { id } = await settingsStore.agentProfiles.save('writer', { llm_profile_ref: 'fast' });
    expect(await settingsStore.agentProfiles.save('writer', { id: 'another', llm_profile_ref: 'slow' })).toMatchObject({
      id,
      revision: 1,
    });
    expect(await settingsStore.agentProfiles.rename('writer', 'author')).toBeUndefined();
    expect(await settingsStore.agentProfiles.byId(id.toUpperCase())).toMatchObject({
      name: 'author',
      id,
      revision: 2,
    });
    expect(await settingsStore.agentProfiles.get('writer')).toBeUndefined();
  });

  it('profiles of agents resolve to settings with the model and the servers that they name', async () => {
    await settingsStore.llmProfiles.save('fast', { model: 'fast-model' }, { includeSecrets: true });
    for (const name of ['files', 'web']) await settingsStore.settings.changeServer(name, { add: { command: name } });
    const { id } = await settingsStore.agentProfiles.save('writer', {
      llm_profile_ref: 'fast',
      mcp_server_refs: ['web', 'gone'],
      system_message_suffix: 'Be brief.',
      tools: [{ name: 'terminal', params: {} }],
      tool_concurrency_limit: 4,
    });
    const agent = await settingsStore.agent(id as string);
    expect(agent?.launched).toEqual({ agent_profile_id: id, revision: 0 });
    expect(agent?.unresolved).toMatchObject({ llmProfile: null, mcpServers: ['gone'] });
    expect(agent?.settings).toMatchObject({
      llm: { model: 'fast-model' },
      mcp_config: { web: { command: 'web' } },
      agent_context: { system_message_suffix: 'Be brief.' },
      tools: [{ name: 'terminal' }],
      tool_concurrency_limit: 4,
    });
    expect(agent?.settings).not.toHaveProperty('llm_profile_ref');
    expect(await settingsStore.agent('00000000-0000-4000-8000-000000000000')).toBeUndefined();
  });
});

describe('workspaces', () => {
  it('workspaces are listed by path, once each, beside their parents', async () => {
    await settingsStore.workspaces.add('workspaces', [{ id: 'a', name: 'A', path: '/a', parentPath: '/' }]);
    await settingsStore.workspaces.add('workspaces', [{ id: 'a', name: 'Again', path: '/a' }]);
    await settingsStore.workspaces.add('workspaceParents', [{ id: 'p', name: 'P', path: '/p' }]);
    expect(await new SettingsStore(folder, cipher).workspaces.get()).toEqual({
      workspaces: [{ id: 'a', name: 'Again', path: '/a' }],
      workspaceParents: [{ id: 'p', name: 'P', path: '/p' }],
    });
    expect(await settingsStore.workspaces.remove('workspaces', '/a')).toBe(true);
    expect(await settingsStore.workspaces.remove('workspaces', '/a')).toBe(false);
  });
});

it('an unreadable file for another reason is reported, and not taken for missing', async () => {
  mkdirSync(join(folder, 'settings.json'));
  await expect(settingsStore.settings.get()).rejects.toThrow('EISDIR');
  await expect(settingsStore.settings.patch({ active_profile: 'x' })).rejects.toThrow('EISDIR');
});
