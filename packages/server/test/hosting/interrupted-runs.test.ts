import { StoreError } from '@conv/core/store';
import { FaultyStore } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { kinds, message } from '../support/conversation-calls.ts';
import { testFleet } from '../support/test-fleet.ts';
import { startServer, until, type TestServerOptions } from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';
import { waitingTool } from '../support/waiting-tool.ts';

/** A run whose store fails in its tool, and until its own end could not be stored either. */
async function failInTool(options: TestServerOptions) {
  // a store that declares itself shared by several servers
  const store = new FaultyStore({ shared: true, exclusion: 'kernel' });
  let refused = 0;
  const wait = waitingTool();
  const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'done' }];
  const server = await startServer({ turns, tools: [wait.tool], store, ...options });
  const { id } = await server.make({ initial_message: message('go') });
  await wait.begun;
  store.onAppend = () => {
    refused++;
    throw new StoreError('UNAVAILABLE', 'nobody answers');
  };
  wait.release();
  // at least its result, and that it failed
  await until(async () => refused >= 2);
  await until(async () => server.reported.some(({ doing }) => doing === 'running'));
  expect((await server.info(id)).execution_status).toBe('running');
  return { server, id, refused: () => refused, mend: () => void (store.onAppend = undefined) };
}

test.each([
  ['alone', {}],
  ['in a fleet', { fleet: { ...testFleet('http://127.0.0.1:9'), scanInterval: 3_600_000 } }],
])('P5: a run that could not store its end continues, and its call does not run again (%s)', async (_, options) => {
  const { server, id, mend } = await failInTool(options);
  mend();
  await until(async () => (await server.info(id)).execution_status === 'finished');
  const seen = await kinds(server, id);
  expect(seen.filter((kind) => kind === 'AgentErrorEvent')).toHaveLength(1);
  expect(seen).not.toContain('ObservationEvent');
  expect(seen).not.toContain('PauseEvent');
});

test('a recovery that fails with the store is retried', async () => {
  const { server, id, refused, mend } = await failInTool({});
  const before = refused();
  await until(async () => refused() > before);
  mend();
  await until(async () => (await server.info(id)).execution_status === 'finished');
});

test('an interrupted run is read as it is without restoring, and goes on with the next command', async () => {
  const wait = waitingTool();
  const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'done' }];
  const first = await startServer({ turns, tools: [wait.tool] });
  const { id } = await first.make({ initial_message: message('go') });
  await wait.begun;
  await first.close();
  const second = await startServer({
    turns: [{ text: 'done' }],
    tools: [wait.tool],
    store: first.store,
    restoreRuns: false,
  });
  const socket = await new TestSocket(
    `${second.url.replace('http', 'ws')}/sockets/session/${id}?after_seq=-1`,
  ).opened();
  await socket.until((frames) => frames.some(({ type }) => type === 'sync'));
  const commits = await second.store.read(id).then((reader) => reader?.end.seq);
  expect((await second.info(id)).execution_status).toBe('running');
  expect(await second.store.read(id).then((reader) => reader?.end.seq)).toBe(commits);
  await second.call('POST', `/api/conversations/${id}/events`, { ...message('more'), run: true });
  await until(async () => (await second.info(id)).execution_status === 'finished');
});

test('P5: a started child whose server ends goes on, also if its run waited for a slot', async () => {
  const wait = waitingTool();
  const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'done' }];
  const first = await startServer({ turns, tools: [wait.tool], maxConcurrentRuns: 1 });
  const parent = await first.make();
  const start = () => first.startChild(parent.id, { task: 'go', title: null, isolation: 'shared' });
  const working = await start();
  await wait.begun;
  const waiting = await start();
  await first.close();
  const again = await startServer({
    turns: [{ text: 'one' }, { text: 'two' }],
    tools: [wait.tool],
    store: first.store,
  });
  for (const { conversation_id: id } of [working, waiting]) {
    await until(async () => (await again.info(id)).execution_status === 'finished');
    expect(await kinds(again, id)).not.toContain('PauseEvent');
  }
});
