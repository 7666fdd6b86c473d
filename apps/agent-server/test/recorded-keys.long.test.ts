import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { fernetCipher } from '@conv/secrets';
import { expect, test } from 'vitest';

import { eventsOf, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const recorded = join(import.meta.dirname, '../../../testing/fixtures/conversations');
const keys = readdirSync(recorded).filter((name) => /^[0-9a-f]{32}$/.test(name));
/** The server that wrote the folders had this one. */
const RIGHT = 'test-secret-key';

/** Puts copies of the folders that OpenHands' server wrote where a server looks for its own. */
function copyRecorded(cwd: string): void {
  for (const key of keys) {
    const folder = join(cwd, 'workspace', 'conversations', key);
    cpSync(join(recorded, key), folder, { recursive: true });
    rmSync(join(folder, 'owner_lease.json'), { force: true });
  }
}

async function idsOf(server: ServerProcess): Promise<readonly string[]> {
  const { body } = await server.call<{ items: readonly ConversationInfo[] }>('GET', '/api/conversations/search');
  return body.items.map(({ id }) => id);
}

async function work(server: ServerProcess, id: string): Promise<void> {
  const path = `/api/conversations/${id}`;
  const calls: readonly (readonly [string, string, JsonObject?])[] = [
    ['GET', path],
    ['GET', `${path}/events/search`],
    ['POST', `${path}/pause`],
    ['POST', `${path}/confirmation_policy`, { policy: { kind: 'AlwaysConfirm' } }],
    ['PATCH', path, { title: 'Still mine' }],
    ['POST', `${path}/fork`, {}],
    ['POST', `${path}/events`, says('and now?')],
  ];
  for (const [method, url, body] of calls) {
    const answer = await server.call(method, url, body);
    expect({ url, status: answer.status < 300 || answer.body }).toEqual({ url, status: true });
  }
}

test.each<[string, Record<string, string>]>([
  ['no key was given', {}],
  ['another key was given', { OH_SECRET_KEY: 'a key of somebody else' }],
])(
  'P5: recorded folders of OpenHands do everything but run where %s, and a run says what is missing',
  async (_, env) => {
    const cwd = newFolder();
    copyRecorded(cwd);
    const server = await ServerProcess.start({ cwd, env });
    const ids = await idsOf(server);
    expect(ids).toHaveLength(keys.length);
    for (const id of ids) {
      await work(server, id);
      expect((await server.call('POST', `/api/conversations/${id}/run`)).status).toBe(200);
      await until(server, id, 'error');
      expect((await eventsOf(server, id)).findLast(({ kind }) => kind === 'ConversationErrorEvent')).toMatchObject({
        code: 'LLMBadRequestError',
        detail: expect.stringMatching(/openai\/gpt-4o: api_key is missing in the stored description/),
      });
    }
    expect(await server.stop()).toBe(0);
  },
);

test('P4: a server that cannot read the keys of recorded folders leaves them readable for the right key', async () => {
  const cwd = newFolder();
  copyRecorded(cwd);
  const server = await ServerProcess.start({ cwd, env: { OH_SECRET_KEY: 'a key of somebody else' } });
  for (const id of await idsOf(server)) await work(server, id);
  expect(await server.stop()).toBe(0);
  const folders = readdirSync(join(cwd, 'workspace', 'conversations')).filter((name) => /^[0-9a-f]{32}$/.test(name));
  // each has a fork
  expect(folders).toHaveLength(2 * keys.length);
  const right = fernetCipher(RIGHT);
  for (const folder of folders) {
    const file = join(cwd, 'workspace', 'conversations', folder, 'base_state.json');
    const { agent } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly agent: { readonly llm: { readonly api_key: string } };
    };
    expect(right.decrypt(agent.llm.api_key)).toMatch(/^sk-/);
  }
});
