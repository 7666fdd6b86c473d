import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Json, JsonObject } from '@conv/core';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { startServer, type TestServer } from '../support/test-server.ts';

/** A member that no release has yet. */
const NAME = 'zz_member_of_tomorrow';

/** Something that a server keeps for clients. */
interface Kept {
  readonly file: string;
  /** Makes it. Resolves with the id that the path of a change names `ID`. */
  readonly make: (server: TestServer) => Promise<string>;
  /** The place in the file of the object that newer releases may give members. */
  readonly within: readonly Step[];
  /** The request that shows it, with the place in the answer. Absent for what no answer shows. */
  readonly shown?: readonly [path: string, within: readonly Step[]];
  /** A request that changes another part of it. */
  readonly change: readonly [method: string, path: string, body: JsonObject];
}

type Step = string | number;

/** Returns the object at a place of a JSON document. */
function objectAt(document: Json, place: readonly Step[]): Record<string, Json> {
  const found = place.reduce<Json>((value, step) => (value as Record<Step, Json>)[step] ?? null, document);
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, Json>;
  throw new Error(`expected an object at ${place.join('.')}, found ${JSON.stringify(found)}`);
}

const CONNECTIONS = '/api/llm/provider-connections';
const connection = { display_name: 'Ours', provider: 'anthropic', api_key: 'sk-of-ours-0123456789' };
const rules = { classifier_model: 'small', classes: [{ description: 'code', model: 'deep' }] };
const folder = { id: 'f', name: 'f', path: '/srv/f' };

/** Returns a function that makes it by a request, and resolves with the id in the answer. */
function by(method: string, path: string, body: JsonObject) {
  return async (server: TestServer): Promise<string> => {
    const answer = await server.call(method, path, body);
    expect(answer.status).toBeLessThan(300);
    const { id } = answer.body;
    return typeof id === 'string' ? id : '';
  };
}

const KEPT: Readonly<Record<string, Kept>> = {
  settings: {
    file: 'settings.json',
    make: by('PATCH', '/api/settings', { misc_settings_diff: { theme: 'dark' } }),
    within: [],
    shown: ['/api/settings', []],
    change: ['PATCH', '/api/settings', { misc_settings_diff: { theme: 'light' } }],
  },
  'settings of the agent': {
    file: 'settings.json',
    make: by('PATCH', '/api/settings', { agent_settings_diff: { llm: { model: 'm' } } }),
    within: ['agent_settings'],
    shown: ['/api/settings', ['agent_settings']],
    change: ['PATCH', '/api/settings', { agent_settings_diff: { llm: { model: 'n' } } }],
  },
  'settings of conversations': {
    file: 'settings.json',
    make: by('PATCH', '/api/settings', { conversation_settings_diff: { max_iterations: 7 } }),
    within: ['conversation_settings'],
    shown: ['/api/settings', ['conversation_settings']],
    change: ['PATCH', '/api/settings', { conversation_settings_diff: { max_iterations: 8 } }],
  },
  'an MCP server': {
    file: 'settings.json',
    make: by('POST', '/api/settings/mcp/files', { type: 'stdio', command: 'true' }),
    within: ['agent_settings', 'mcp_config', 'files'],
    shown: ['/api/settings', ['agent_settings', 'mcp_config', 'files']],
    change: ['PATCH', '/api/settings', { misc_settings_diff: { theme: 'light' } }],
  },
  'a profile of a model': {
    file: 'profiles/a.json',
    make: by('POST', '/api/profiles/a', { llm: { model: 'm' } }),
    within: [],
    shown: ['/api/profiles/a', ['config']],
    change: ['POST', '/api/profiles/a/activate', {}],
  },
  'a profile of an agent': {
    file: 'agent-profiles/a.json',
    make: by('POST', '/api/agent-profiles/a', { llm_profile_ref: 'none' }),
    within: [],
    shown: ['/api/agent-profiles/a', ['profile']],
    change: ['POST', '/api/agent-profiles/a/materialize', {}],
  },
  'rules that choose a model': {
    file: 'meta-profiles/a.json',
    make: by('POST', '/api/meta-profiles/a', rules),
    within: [],
    shown: ['/api/meta-profiles/a', ['config']],
    change: ['PATCH', '/api/settings', { active_meta_profile: 'a' }],
  },
  'a class of such rules': {
    file: 'meta-profiles/a.json',
    make: by('POST', '/api/meta-profiles/a', rules),
    within: ['classes', 0],
    shown: ['/api/meta-profiles/a', ['config', 'classes', 0]],
    change: ['PATCH', '/api/settings', { active_meta_profile: 'a' }],
  },
  'a provider connection': {
    file: 'provider-connections/provider_connections.json',
    make: by('POST', CONNECTIONS, connection),
    within: ['connections', 0],
    shown: [CONNECTIONS, [0]],
    change: ['PATCH', `${CONNECTIONS}/ID`, { display_name: 'Theirs' }],
  },
  'the list of provider connections': {
    file: 'provider-connections/provider_connections.json',
    make: by('POST', CONNECTIONS, connection),
    within: [],
    change: ['PATCH', `${CONNECTIONS}/ID`, { display_name: 'Theirs' }],
  },
  'a listed folder': {
    file: 'workspaces.json',
    make: by('POST', '/api/workspaces', { workspaces: [folder] }),
    within: ['workspaces', 0],
    shown: ['/api/workspaces', ['workspaces', 0]],
    change: ['POST', '/api/workspaces', { workspaces: [{ ...folder, path: '/srv/g' }] }],
  },
  'a secret': {
    file: 'secrets.json',
    make: by('PUT', '/api/settings/secrets', { name: 'TOKEN', value: 'a-secret-of-ours' }),
    within: ['custom_secrets', 'TOKEN'],
    change: ['PUT', '/api/settings/secrets', { name: 'TOKEN', value: 'another-of-ours' }],
  },
};

let place: string;
let server: TestServer;

beforeEach(async () => {
  const outer = await startServer();
  place = join(outer.folder, 'kept');
  const store = new SettingsStore(place, cipher);
  server = await startServer({ cipher, settingsStore: store, profiles: store });
});

const at = (file: string): Json => JSON.parse(readFileSync(join(place, file), 'utf8')) as Json;

describe('a member that a newer release gave', () => {
  test.each(Object.entries(KEPT))('%s is shown, and stays when something else changes', async (_, kept) => {
    const {
      file,
      make,
      within,
      shown,
      change: [method, path, body],
    } = kept;
    const id = await make(server);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 2 }), async (value) => {
        const given = JSON.parse(JSON.stringify({ of: value })) as JsonObject;
        const stored = at(file);
        objectAt(stored, within)[NAME] = given;
        writeFileSync(join(place, file), JSON.stringify(stored));
        const look = async (): Promise<void> => {
          if (!shown) return;
          const { body: answer } = await server.call('GET', shown[0]);
          expect(objectAt(answer, shown[1])).toMatchObject({ [NAME]: given });
        };
        await look();
        expect((await server.call(method, path.replace('ID', id), body)).status).toBeLessThan(300);
        expect(objectAt(at(file), within)).toMatchObject({ [NAME]: given });
        await look();
      }),
      { numRuns: 5 },
    );
  });
});
