import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { fernetCipher } from '@conv/secrets';
import { inCi } from '@conv/testing-harness';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const OLD = 'the-secret-key-before-5a1f';
const NEW = 'the-secret-key-behind-8c2d';
const MODEL_KEY = 'sk-rotated-0123456789';
const TOKEN = 'token-value-0123456789';

const AWS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test1234' };

let model: ModelServer;
let postgres: PostgresServer;
let s3: S3Server;

beforeAll(async () => {
  [postgres, s3] = await Promise.all([PostgresServer.start(), createS3Server()]);
  s3.createBucket('conversations');
  // answers nothing without the key
  model = await createModelServer({
    apiKey: MODEL_KEY,
    script: (request) =>
      lastUserText(request) === 'use the token' && toolResults(request).length === 0
        ? call('terminal', { command: 'printf %s "$TOKEN" | sha256sum' })
        : say('Done.'),
  });
}, 60_000);

afterAll(async () => {
  await Promise.all([model.close(), postgres.stop(), s3.close()]);
});

/** Runs work on a server with this secret key and these older ones, and ends the server. */
async function withKeys<T>(
  [cwd, store]: readonly [string, string],
  [key, ...older]: readonly [string, ...string[]],
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const env = { ...AWS, OH_SECRET_KEY: key, ...(older.length === 0 ? {} : { CONV_OLD_SECRET_KEYS: older.join(',') }) };
  const server = await ServerProcess.start({ cwd, env, args: ['--store', store] });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Has the agent use its secret. Resolves with what the command printed. */
async function talk(server: ServerProcess, id: string): Promise<string> {
  await server.call('POST', `/api/conversations/${id}/events`, says('use the token', { run: true }));
  const { execution_status: status } = await until(server, id, 'finished', 'error');
  const events = await eventsOf(server, id);
  expect([status, events.filter(({ kind }) => kind === 'ConversationErrorEvent')]).toEqual(['finished', []]);
  return JSON.stringify(events.findLast(({ kind }) => kind === 'ObservationEvent'));
}

function tokensIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && file.name.endsWith('.json'))
    .flatMap(
      ({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8').match(/gAAAAA[\w-]{20,}={0,2}/g) ?? [],
    );
}

const secretOf = (value: string): JsonObject => ({ kind: 'StaticSecret', value });

const HASH = createHash('sha256').update(TOKEN).digest('hex');

/** The address of an empty store of a kind. */
function addressOf(kind: string): string {
  const name = `n${randomUUID().replaceAll('-', '')}`;
  if (kind === 'PostgreSQL') return `${postgres.url()}?schema=${name}`;
  if (kind === 'S3') return `s3:conversations/${name}?region=us-east-1&endpoint=${s3.url}`;
  return kind === 'SQLite' ? 'sqlite:conversations.db' : 'fs:workspace/conversations';
}

const stores = [
  ['files', 8],
  ['SQLite', 0],
  ['PostgreSQL', 0],
  ['S3', 0],
] as const;

// a store on this machine and a service, also in CI
test.each(inCi(stores, 2))(
  'P9: a conversation in %s that was opened beside the new secret key needs the old one no more',
  async (kind, tokensInFiles) => {
    const place = [newFolder(), addressOf(kind)] as const;
    const [cwd] = place;
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY, num_retries: 0 };
    const id = await withKeys(place, [OLD], async (server) => {
      const asked = payload({ cwd, llm });
      const remote = {
        url: 'http://127.0.0.1:9/mcp',
        headers: { Authorization: 'Bearer t-0123456789' },
        enabled: false,
      };
      const agent = {
        ...(asked['agent'] as JsonObject),
        mcp_config: { remote },
        agent_context: { secrets: { LENT: 'lent-value-0123456789' } },
      };
      const made = await make(server, {
        ...asked,
        agent,
        secrets: { TOKEN: secretOf(TOKEN), GONE: secretOf('gone-value-0123456789') },
      });
      await server.call('POST', `/api/conversations/${made.id}/secrets`, {
        secrets: { GONE: 'next-value-0123456789' },
      });
      expect(await talk(server, made.id)).toContain(HASH);
      return made.id;
    });
    await withKeys(place, [NEW, OLD], async (server) => expect(await talk(server, id)).toContain(HASH));
    await withKeys(place, [NEW], async (server) => {
      expect(await talk(server, id)).toContain(HASH);
      const { body } = await server.call('GET', `/api/conversations/${id}`);
      expect(body['missing_secrets'] ?? []).toEqual([]);
      const { id: fork } = (await server.call('POST', `/api/conversations/${id}/fork`, {})).body as { id: string };
      expect(await talk(server, fork)).toContain(HASH);
      // the value before stays masked
      await server.call('POST', `/api/conversations/${id}/events`, says('it was gone-value-0123456789'));
      expect(JSON.stringify(await eventsOf(server, id))).not.toContain('gone-value-0123456789');
    });
    const tokens = tokensIn(join(cwd, 'workspace/conversations'));
    expect(tokens.length).toBeGreaterThanOrEqual(tokensInFiles);
    for (const token of tokens) expect(fernetCipher(NEW).decrypt(token)).toBeDefined();
  },
);

test('P9: settings and profiles are encrypted anew when a server starts with a new secret key', async () => {
  const place = [newFolder(), 'fs:workspace/conversations'] as const;
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY };
  await withKeys(place, [OLD], async (server) => {
    await server.call('PUT', '/api/settings/secrets', { name: 'DEPLOY', value: TOKEN });
    await server.call('PATCH', '/api/settings', { agent_settings_diff: { llm } });
    expect((await server.call('POST', '/api/profiles/mine', { llm })).status).toBe(201);
  });
  const folder = join(place[0], 'workspace/.openhands');
  writeFileSync(join(folder, 'profiles/damaged.json'), 'not json');
  await withKeys(place, [NEW, OLD], async (server) => {
    expect(server.log).toContain('encrypting settings anew');
  });
  const tokens = tokensIn(folder);
  expect(tokens.length).toBeGreaterThanOrEqual(3);
  for (const token of tokens) expect(fernetCipher(NEW).decrypt(token)).toBeDefined();
  await withKeys(place, [NEW], async (server) => {
    expect((await server.call('GET', '/api/settings/secrets/DEPLOY')).body).toBe(TOKEN);
    const { body } = await server.call<JsonObject>('GET', '/api/profiles/mine', undefined, {
      'x-expose-secrets': 'plaintext',
    });
    expect(JSON.stringify(body)).toContain(MODEL_KEY);
  });
});
