import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { inCi, WebhookReceiver } from '@conv/testing-harness';
import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess, type Setting } from './server-process.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script: () => say('Yes.') });
});

afterAll(() => model.close());

async function startReceiver(): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  onTestFinished(() => receiver.close());
  return receiver;
}

function settingOf(receiver: WebhookReceiver, kind: string): Setting {
  const cwd = newFolder();
  const webhook = { name: 'hook', url: receiver.url, secrets: [SECRET], timeoutSeconds: 1 };
  const env = { CONV_WEBHOOKS: JSON.stringify([webhook]), CONV_WEBHOOK_HOSTS: `127.0.0.1:${receiver.port}` };
  return { cwd, env, args: kind === 'fs' ? [] : ['--store', `sqlite:${join(cwd, 'conversations.db')}`] };
}

async function asked(server: ServerProcess, cwd: string): Promise<string> {
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  const { id } = await make(server, payload({ cwd, llm }));
  await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  return id;
}

interface Told {
  readonly id: string;
  readonly sequence: number;
  readonly data: unknown;
}

/** The events of a conversation that came, in the order in which they came, with their repetitions. */
function toldOf(receiver: WebhookReceiver, id: string, from: 'received' | 'taken' = 'received'): readonly Told[] {
  return receiver[from].flatMap(({ id: webhookId, body }) => {
    const { source, sequence, data } = JSON.parse(body) as JsonObject;
    if (source !== `/api/conversations/${id}` || sequence === undefined) return [];
    return [{ id: webhookId, sequence: Number(sequence), data }];
  });
}

const stores = inCi(['fs', 'sqlite'], 2);
const ends = ['before the answer', 'after the answer'] as const;

test.each(stores.flatMap((kind) => ends.map((end) => [kind, end] as const)))(
  'P4, P5: a server on %s that is killed %s of a receiver loses no event',
  async (kind, end) => {
    const receiver = await startReceiver();
    const setting = settingOf(receiver, kind);
    let server = await ServerProcess.start(setting);
    // the receiver is away until the run has ended, so that each event comes after the test has begun to kill
    receiver.answer = () => 503;
    const id = await asked(server, setting.cwd);
    await until(server, id, 'finished');
    let kills = 0;
    receiver.answer = ({ body }, earlier) => {
      const isHit =
        earlier === 0 && kills < 2 && body.includes('"sequence"') && !body.includes('"sequence":"0000000000"');
      if (!isHit) return 200;
      kills++;
      server.kill('SIGKILL');
      return end === 'before the answer' ? 'lost' : 200;
    };
    for (let times = 1; times <= 2; times++) {
      await receiver.until(() => kills >= times);
      await server.ended();
      server = await ServerProcess.start(setting);
    }
    const log = await eventsOf(server, id);
    await receiver.until(() => new Set(toldOf(receiver, id, 'taken').map((one) => one.id)).size >= log.length);
    const told = toldOf(receiver, id);
    expect([...new Map(told.map((one) => [one.id, one.data])).values()]).toEqual(log);
    const sequences = told.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    // what was refused while the receiver was away is no repetition of a kill
    const repeated = told.filter(({ sequence }) => sequence > 0).length - (log.length - 1);
    expect(repeated).toBeLessThanOrEqual(kills);
    expect(kills).toBe(2);
    expect(server.log).not.toContain(SECRET);
    expect(await server.stop()).toBe(0);
  },
);

test('P4, P5: another server tells the rest when a server is killed in the middle of a request', async () => {
  const receiver = await startReceiver();
  const { cwd, env = {}, args = [] } = settingOf(receiver, 'sqlite');
  const keys = { OH_SESSION_API_KEYS_0: 'session-key-0123456789', OH_SECRET_KEY: 'secret-key-of-both-0123456789' };
  const setting: Setting = { cwd, env: { ...env, ...keys }, args };
  const first = await ServerProcess.start(setting);
  receiver.answer = () => 503;
  const id = await asked(first, cwd);
  await until(first, id, 'finished');
  let isKilled = false;
  receiver.answer = ({ body }, earlier) => {
    if (isKilled || earlier > 0 || !body.includes('"sequence":"0000000001"')) return 200;
    isKilled = true;
    first.kill('SIGKILL');
    return 'lost';
  };
  const second = await ServerProcess.start(setting);
  const log = await eventsOf(second, id);
  await receiver.until(() => new Set(toldOf(receiver, id, 'taken').map((one) => one.id)).size >= log.length);
  expect(isKilled).toBe(true);
  const told = toldOf(receiver, id);
  expect([...new Map(told.map((one) => [one.id, one.data])).values()]).toEqual(log);
  const sequences = told.map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(new Set(toldOf(receiver, id, 'taken').map((one) => one.id)).size).toBe(toldOf(receiver, id, 'taken').length);
  expect(await second.stop()).toBe(0);
});

test('an unlisted receiver in a private network is not reached, and the log says so without its secret', async () => {
  const receiver = await startReceiver();
  const { cwd, env = {} } = settingOf(receiver, 'fs');
  const server = await ServerProcess.start({ cwd, env: { CONV_WEBHOOKS: env['CONV_WEBHOOKS'] ?? '' } });
  await asked(server, cwd);
  const { doing, err } = await server.logged('failed');
  expect(doing).toBe('telling the webhook hook');
  expect(JSON.stringify(err)).toContain('List the host with its port');
  expect(receiver.received).toEqual([]);
  const metrics = await server.call<string>('GET', '/metrics');
  expect(metrics.body).toContain('conv_webhook_requests_total{webhook="hook",outcome="failed"}');
  expect(server.log).not.toContain(SECRET);
  expect(await server.stop()).toBe(0);
});
