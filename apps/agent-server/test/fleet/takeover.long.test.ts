import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { inCi } from '@conv/testing-harness';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, kindsOf, make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually, type ServerProcess } from '../server-process.ts';
import { startInFleet, type FleetProcess } from './fleet-process.ts';
import { userTexts } from './test-fleet.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const [result] = toolResults(request, 'since-last-user-message');
      if (result) return say('Over.');
      return lastUserText(request) === 'sleep' ? call('terminal', { command: 'echo begun; sleep 600' }) : say('Yes.');
    },
  });
});

afterAll(() => model.close());

function described(cwd: string, more: JsonObject = {}): JsonObject {
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  return { ...payload({ cwd, llm }), ...more };
}

/** Two servers on one store, and a folder for both. */
async function pair(kind: 'fs' | 'sqlite', env: Record<string, string> = {}) {
  const cwd = newFolder();
  const store = kind === 'fs' ? `fs:${join(cwd, 'store')}` : `sqlite:${join(cwd, 'conversations.db')}`;
  const start = (): Promise<FleetProcess> =>
    startInFleet({ cwd, store, env: { OH_SECRET_KEY: 'one-secret-for-all-servers', ...env } });
  const first = await start();
  return { cwd, first, second: await start() };
}

/** Has a conversation in which a command runs that does not end. */
async function sleeping(server: ServerProcess, cwd: string): Promise<string> {
  const { id } = await make(server, described(cwd));
  await server.call('POST', `/api/conversations/${id}/events`, says('sleep', { run: true }));
  await eventually(async () => (await kindsOf(server, id)).includes('ActionEvent'));
  return id;
}

/** A run of this conversation has ended at this server, which was asked for nothing. */
function endedAt(server: ServerProcess, id: string): Promise<JsonObject> {
  return eventually(() => server.lines.find(({ msg, conversation }) => msg === 'run ended' && conversation === id));
}

async function metric(server: ServerProcess, name: string): Promise<number> {
  const { body } = await server.call<string>('GET', '/metrics');
  const line = body.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

/** Takeovers of each store have tests of their own, so CI takes one store. */
const stores = inCi(['fs', 'sqlite'] as const, 2);

test.each(stores)(
  'P4, P5: the run of a server that was killed goes on at another one, without a request (%s)',
  async (kind) => {
    const { cwd, first, second } = await pair(kind);
    const id = await sleeping(first.server, cwd);
    const before = await eventsOf(second.server, id);
    // readers know of a run before lists do
    await eventually(async () => {
      const { body } = await second.server.call<{ items: { id: string }[] }>(
        'GET',
        '/api/conversations/search?status=running',
      );
      return body.items.some((item) => item.id === id);
    });
    first.server.kill('SIGKILL');
    await first.server.ended();
    expect(await endedAt(second.server, id)).toMatchObject({ status: 'finished' });
    const after = await eventsOf(second.server, id);
    expect(after.slice(0, before.length)).toEqual(before);
    // the command is not run again: what became of it is not known
    expect(after.slice(before.length).map(({ kind: one }) => one)).toEqual(['AgentErrorEvent', 'MessageEvent']);
    expect(await metric(second.server, 'conv_takeovers_total')).toBe(1);
    expect(await second.server.logged('run taken over')).toMatchObject({ conversation: id });
  },
);

test('a server that ends in order hands its runs over: nothing is paused, and they end at another server', async () => {
  const { cwd, first, second } = await pair('sqlite', { CONV_SHUTDOWN_SECONDS: '15' });
  const id = await sleeping(first.server, cwd);
  expect(await first.server.stop()).toBe(0);
  expect(await endedAt(second.server, id)).toMatchObject({ status: 'finished' });
  expect(await kindsOf(second.server, id)).toEqual([
    'SystemPromptEvent',
    'MessageEvent',
    'ActionEvent',
    'AgentErrorEvent',
    'MessageEvent',
  ]);
});

test('another server runs the queued runs of a server that is killed', async () => {
  const { cwd, first, second } = await pair('sqlite', { OH_MAX_CONCURRENT_RUNS: '1' });
  const running = await sleeping(first.server, cwd);
  const { id: waiting } = await make(first.server, described(cwd));
  await first.server.call('POST', `/api/conversations/${waiting}/events`, says('hello', { run: true }));
  await until(second.server, waiting, 'running');
  expect(await kindsOf(second.server, waiting)).toEqual(['SystemPromptEvent', 'MessageEvent']);
  first.server.kill('SIGKILL');
  for (const id of [running, waiting]) expect(await endedAt(second.server, id)).toMatchObject({ status: 'finished' });
  expect(userTexts(await eventsOf(second.server, waiting))).toEqual(['hello']);
});

test('a run that waits for its turn can be paused at any server, and no server resumes it', async () => {
  const { cwd, first, second } = await pair('sqlite', { OH_MAX_CONCURRENT_RUNS: '1' });
  await sleeping(first.server, cwd);
  const { id } = await make(first.server, described(cwd));
  await first.server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  await until(second.server, id, 'running');
  expect((await second.server.call('POST', `/api/conversations/${id}/pause`)).status).toBe(200);
  await until(second.server, id, 'paused');
  first.server.kill('SIGKILL');
  await first.server.ended();
  expect((await second.server.call('POST', `/api/conversations/${id}/run`)).status).toBe(200);
  await until(second.server, id, 'finished');
  expect(await metric(second.server, 'conv_takeovers_total')).toBeLessThan(2);
});

test('P2: a server that stands still loses its conversations, and another server does its requests once', async () => {
  const { cwd, first, second } = await pair('fs', { CONV_TAKEOVER_SECONDS: '2' });
  const { id } = await make(first.server, described(cwd));
  const path = `/api/conversations/${id}/events`;
  expect((await second.server.call('POST', path, says('before'))).status).toBe(200);
  expect(await metric(second.server, 'conv_forwarded_requests_total')).toBe(1);
  first.server.kill('SIGSTOP');
  const headers = { 'idempotency-key': randomUUID() };
  const [keyed, run] = await Promise.all([
    second.server.call('POST', path, says('meanwhile', { run: true }), headers),
    second.server.call('POST', `/api/conversations/${id}/pause`),
  ]);
  // whether the first one did what may not be done twice is not known
  expect([keyed.status, run.status]).toEqual([200, 503]);
  await until(second.server, id, 'finished', 'paused');
  first.server.kill('SIGCONT');
  expect((await first.server.call('POST', path, says('meanwhile', { run: true }), headers)).status).toBe(200);
  expect((await first.server.call('POST', path, says('after'))).status).toBe(200);
  for (const { server } of [first, second])
    expect(userTexts(await eventsOf(server, id))).toEqual(['before', 'meanwhile', 'after']);
});

test('a message with a key is stored once by another server when its owner dies while it handles it', async () => {
  const { cwd, first, second } = await pair('sqlite');
  const { id } = await make(first.server, described(cwd));
  const path = `/api/conversations/${id}/events`;
  const sent = Array.from({ length: 20 }, (_, index) => ({ text: `message ${index}`, key: randomUUID() }));
  const answers = sent.map(({ text, key }, index) => {
    if (index === 10) first.server.kill('SIGKILL');
    return second.server.call('POST', path, says(text), { 'idempotency-key': key });
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  const texts = userTexts(await eventsOf(second.server, id));
  expect(texts.toSorted()).toEqual(sent.map(({ text }) => text).toSorted());
});
