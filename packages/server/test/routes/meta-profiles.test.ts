import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { AgentProfileDiagnostics, SettingsResponse } from '@conv/openhands/rest';
import { beforeEach, describe, expect, it, test } from 'vitest';

import { agentFromSettings } from '../../src/conversations/agent-from-settings.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { startServer, type Answer, type TestServer } from '../support/test-server.ts';

const rules = {
  classifier_model: 'small',
  classes: [
    { description: 'a question', model: 'fast' },
    { description: 'code', model: 'deep' },
  ],
};
const whole = { ...rules, prompt_template: null, model_table: null };

let server: TestServer;
let folder: string;

beforeEach(async () => {
  const outer = await startServer();
  folder = join(outer.folder, 'kept');
  server = await startServer({
    cipher,
    settingsStore: new SettingsStore(folder, cipher),
    about: { tools: ['terminal'] },
  });
});

function call<Body = JsonObject>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
  return server.call<Body>(method, path, body);
}

const keep = (name: string, body: unknown = rules): Promise<Answer> => call('POST', `/api/meta-profiles/${name}`, body);
const settings = async (): Promise<SettingsResponse> => (await call<SettingsResponse>('GET', '/api/settings')).body;

describe('rules that choose among models', () => {
  it('rules are kept with classifier_model, classes, description and model, listed and removed', async () => {
    expect(await keep('by-kind')).toMatchObject({
      status: 201,
      body: { name: 'by-kind', message: "Meta-profile 'by-kind' saved" },
    });
    await keep('direct', {
      classifier_model: 'small',
      prompt_template: 'For {{ instance_text }}: {{ model_table }}',
      model_table: 'fast',
    });
    expect((await call('GET', '/api/meta-profiles')).body).toEqual({
      meta_profiles: [
        { name: 'by-kind', classifier_model: 'small', num_classes: 2 },
        { name: 'direct', classifier_model: 'small', num_classes: 0 },
      ],
      active_meta_profile: null,
    });
    expect((await call('GET', '/api/meta-profiles/by-kind')).body).toEqual({ name: 'by-kind', config: whole });
    expect(JSON.parse(readFileSync(join(folder, 'meta-profiles/by-kind.json'), 'utf8'))).toEqual(whole);
    for (const _ of [1, 2])
      expect(await call('DELETE', '/api/meta-profiles/by-kind')).toMatchObject({
        status: 200,
        body: { message: "Meta-profile 'by-kind' deleted" },
      });
    expect(await call('GET', '/api/meta-profiles/by-kind')).toMatchObject({
      status: 404,
      body: { detail: "Meta-profile 'by-kind' not found" },
    });
  });

  it('rules that choose nothing are refused, as is a prompt_template without a place for the conversation', async () => {
    for (const [wrong, place] of [
      [{ classifier_model: 'small' }, 'classes'],
      [{ classes: rules.classes }, 'classifier_model'],
      [{ ...rules, prompt_template: '{{ instance_text }}' }, 'prompt_template'],
      [{ classifier_model: 'small', prompt_template: 'none' }, 'prompt_template'],
    ] as const) {
      const refused = await keep('a', wrong);
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain(place);
    }
    expect((await keep('.hidden')).status).toBe(422);
  });

  it('rules are fifty at most, and an old one can be replaced then', async () => {
    mkdirSync(join(folder, 'meta-profiles'), { recursive: true });
    for (let n = 0; n < 50; n++) writeFileSync(join(folder, `meta-profiles/r${n}.json`), JSON.stringify(rules));
    expect(await keep('one-more')).toMatchObject({
      status: 409,
      body: { detail: 'Meta-profile limit reached (50). Delete a meta-profile before saving a new one.' },
    });
    expect((await keep('r7')).status).toBe(201);
  });

  it('rules that cannot be used answer 400, and hide no others', async () => {
    await keep('good');
    writeFileSync(join(folder, 'meta-profiles/bad.json'), '{');
    writeFileSync(join(folder, 'meta-profiles/empty.json'), '{}');
    for (const name of ['bad', 'empty'])
      expect(await call('GET', `/api/meta-profiles/${name}`)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(`Failed to load meta-profile \`${name}\``) },
      });
    const { body } = await call<{ meta_profiles: JsonObject[] }>('GET', '/api/meta-profiles');
    expect(body.meta_profiles.map(({ name }) => name)).toEqual(['empty', 'good']);
    expect((await call('POST', '/api/meta-profiles/bad/activate')).status).toBe(400);
  });
});

describe('active rules', () => {
  it('active rules give agents the tool that chooses a model, by activation and by active_meta_profile', async () => {
    await keep('by-kind');
    expect((await call('POST', '/api/meta-profiles/none/activate')).status).toBe(404);
    expect((await call('POST', '/api/meta-profiles/by-kind/activate')).body).toEqual({
      name: 'by-kind',
      message: "Meta-profile 'by-kind' activated",
      applied: true,
    });
    const active = await settings();
    expect(active).toMatchObject({
      active_meta_profile: 'by-kind',
      agent_settings: {
        active_meta_profile: 'by-kind',
        enable_classify_and_switch_llm_tool: true,
        meta_profile: whole,
      },
    });
    expect(agentFromSettings(active.agent_settings)['tools']).toContainEqual({
      name: 'ClassifyAndSwitchLLMTool',
      params: { active_meta_profile: 'by-kind', meta_profile: whole },
    });
    await call('PATCH', '/api/settings', { active_meta_profile: null });
    const cleared = await settings();
    expect(cleared).toMatchObject({
      active_meta_profile: null,
      agent_settings: { active_meta_profile: null, enable_classify_and_switch_llm_tool: false },
    });
    expect(JSON.stringify(agentFromSettings(cleared.agent_settings)['tools'])).not.toContain('Classify');
    expect((await call('PATCH', '/api/settings', { active_meta_profile: 'none' })).status).toBe(404);
    expect((await call('PATCH', '/api/settings', { active_meta_profile: 'by-kind' })).body).toMatchObject({
      active_meta_profile: 'by-kind',
    });
  });

  it('active rules end with their removal', async () => {
    await keep('by-kind');
    await call('POST', '/api/meta-profiles/by-kind/activate');
    await call('DELETE', '/api/meta-profiles/by-kind');
    expect(await settings()).toMatchObject({
      active_meta_profile: null,
      agent_settings: { enable_classify_and_switch_llm_tool: false, meta_profile: null },
    });
  });

  it('active rules do not hold for an agent of another program, which cannot choose', async () => {
    await keep('by-kind');
    await call('POST', '/api/meta-profiles/by-kind/activate');
    await call('PATCH', '/api/settings', { agent_settings_diff: { agent_kind: 'acp' } });
    expect(await settings()).toMatchObject({ active_meta_profile: null });
    expect((await call('POST', '/api/meta-profiles/by-kind/activate')).body).toEqual({
      name: 'by-kind',
      message: "Meta-profile 'by-kind' not activated: the current agent settings cannot route between models",
      applied: false,
    });
  });
});

test('an agent profile has rules of its own with meta_profile_ref, and tells which of them are missing', async () => {
  const diagnosed = async (name: string, body?: unknown): Promise<AgentProfileDiagnostics> =>
    (await call<AgentProfileDiagnostics>('POST', `/api/agent-profiles/${name}/materialize`, body)).body;
  await call('POST', '/api/profiles/small', { llm: { model: 'm' } });
  await call('POST', '/api/profiles/fast', { llm: { model: 'm' } });
  const profile = {
    llm_profile_ref: 'small',
    enable_classify_and_switch_llm_tool: true,
    meta_profile_ref: 'by-kind',
    tools: [{ name: 'terminal' }, { name: 'switch_llm' }, { name: 'browser_tool_set' }, { name: 'telescope' }],
  };
  await call('POST', '/api/agent-profiles/own', profile);
  expect(await diagnosed('own')).toMatchObject({
    valid: false,
    meta_profile_ref: 'by-kind',
    dangling_meta_profile_ref: 'by-kind',
    unusable_tools: ['browser_tool_set', 'telescope'],
    errors: ['Tool(s) this server cannot run: telescope', "Meta-profile 'by-kind' not found"],
  });
  await keep('by-kind');
  const draft = { ...profile, tools: [{ name: 'terminal' }] };
  expect(await diagnosed('own', { profile: draft })).toMatchObject({
    dangling_meta_profile_ref: null,
    dangling_meta_profile_llm_refs: ['deep'],
    unusable_tools: [],
  });
  await call('POST', '/api/profiles/deep', { llm: { model: 'm' } });
  expect(await diagnosed('own', { profile: draft })).toMatchObject({
    valid: true,
    resolved_settings: { active_meta_profile: 'by-kind', enable_classify_and_switch_llm_tool: true },
  });
});
