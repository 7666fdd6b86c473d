import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { usedToday } from '@conv/server/records';
import { openRegistry, openStore } from '@conv/stores';
import { expect, onTestFinished, test } from 'vitest';

import { says } from '../calls.ts';
import { newConversation } from '../fleet/work-script.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { CALL, startCounting } from './counting-server.ts';

const QUESTION = { path: 'ask_agent', body: { question: 'why?' } };
const program = join(import.meta.dirname, 'killed-process.ts');

async function said(child: ChildProcess): Promise<string> {
  const [text] = (await once(child, 'message')) as [string];
  return text;
}

const RUN = { path: 'events', body: says('go', { run: true }) };

/** Sends a request to a server that is killed at a change of its usage record. Resolves with the path of the conversation. */
async function killedAt(
  folder: string,
  at: number,
  when: string,
  request: typeof RUN | typeof QUESTION = RUN,
): Promise<string> {
  const child = fork(program, [folder, `${at}`, when], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  try {
    const url = await said(child);
    const headers = { 'x-session-api-key': 'ann', 'content-type': 'application/json' };
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const made = await post('/api/conversations', newConversation('says', join(folder, 'work')));
    const path = `/api/conversations/${((await made.json()) as { id: string }).id}`;
    const stopped = said(child);
    // it may never be answered
    void post(`${path}/${request.path}`, request.body).catch(() => {});
    expect(await stopped).toBe('stopped');
    return path;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

test.each([1, 2, 3].flatMap((at) => ['before', 'after'].map((when) => [at, when] as const)))(
  'a server killed at change %i of a usage record, %s it is stored, leaves a use that fits',
  async (at, when) => {
    const folder = newFolder();
    const path = await killedAt(folder, at, when);
    const address = `fs:${join(folder, 'store')}`;
    const { registry } = await openRegistry(address, folder);
    const opened = await openStore(address);
    const server = await startCounting({
      folder: join(folder, 'store'),
      store: opened.store,
      registry,
      daily: { runs: 5, cost: 1 },
    });
    onTestFinished(async () => {
      await server.close();
      await opened.close();
    });
    // opens the conversation here
    expect((await server.call('PATCH', path, { title: 'again' })).status).toBe(200);
    const info = await eventually(async () => {
      const { body } = await server.call('GET', path);
      const { execution_status: status } = body as { readonly execution_status: string };
      return status !== 'running' && { status };
    });
    const began = info.status === 'idle' ? 0 : 1;
    expect(began).toBe(at === 1 ? 0 : 1);
    await eventually(async () => {
      const held = (await registry.list('usage')).items.map(({ value }) => (value as { readonly held: object }).held);
      return held.every((one) => Object.keys(one).length === 0);
    });
    const used = await usedToday(registry, 'ann');
    expect(used.runs).toBe(began);
    expect(used.cost).toBeCloseTo(began * CALL, 9);
    // nothing is counted twice: the use of the next run is added to it
    await server.call('POST', `${path}/events`, says('more', { run: true }));
    await eventually(async () => (await usedToday(registry, 'ann')).cost > (began + 0.5) * CALL);
    await eventually(async () => (await usedToday(registry, 'ann')).runs === began + 1);
  },
);

test('reservations of questions at a killed server are given back when the conversation is opened again', async () => {
  const folder = newFolder();
  const path = await killedAt(folder, 1, 'after', QUESTION);
  const address = `fs:${join(folder, 'store')}`;
  const { registry } = await openRegistry(address, folder);
  expect((await usedToday(registry, 'ann')).cost).toBeGreaterThan(0);
  const opened = await openStore(address);
  const daily = { runs: 5, cost: 1 };
  const server = await startCounting({ folder: join(folder, 'store'), store: opened.store, registry, daily });
  onTestFinished(async () => {
    await server.close();
    await opened.close();
  });
  expect((await server.call('PATCH', path, { title: 'again' })).status).toBe(200);
  await eventually(async () => (await usedToday(registry, 'ann')).cost === 0);
});
