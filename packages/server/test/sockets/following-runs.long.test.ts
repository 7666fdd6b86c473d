import { openLocalConversation } from '@conv/local';
import { drafts } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { only, StreamingAgent } from '@conv/testing-harness';
import { eventOf, isState, textsOf, type Frame } from '../support/test-socket.ts';

const isFullState = (frame: Frame): boolean => isState(frame, 'full_state');
const statusOf = (frame: Frame): unknown =>
  (eventOf(frame)['value'] as { execution_status?: unknown }).execution_status;

test('no state says that a started run is over before all of its events were sent', async () => {
  const bench = await startBench({ think: ({ number }) => `answer ${number}` });
  const socket = bench.open();
  await socket.find(isFullState);
  const hosted = bench.host.loaded(bench.id);
  for (let turn = 1; turn <= 25; turn++) {
    await hosted?.send(`question ${turn}`);
    await hosted?.start();
    const armed = socket.frames.length;
    const isOver = (frame: Frame): boolean => isFullState(frame) && statusOf(frame) !== 'running';
    await socket.until((frames) => frames.slice(armed).some(isOver));
    const end = armed + socket.frames.slice(armed).findIndex(isOver);
    expect(statusOf(socket.frames[end] as Frame)).toBe('finished');
    expect(textsOf(socket.frames.slice(0, end))).toContain(`answer ${turn}`);
  }
});

test('the end of a short run is shown again after a second, for a client that was not looking yet', async () => {
  const platform = new ManualPlatform();
  const going = Promise.withResolvers<void>();
  const bench = await startBench({
    platform,
    think: ({ number }) => (number < 2 ? 'short' : going.promise.then(() => 'long')),
  });
  const [events, session] = [bench.open(), bench.session()];
  await Promise.all([events, session].map((socket) => socket.find(isFullState)));
  const shown = (frames: readonly Frame[]): readonly unknown[] => frames.filter(isFullState).map(statusOf);
  const hosted = bench.host.loaded(bench.id);
  await hosted?.send('go', { run: true });
  await Promise.all([events, session].map((socket) => socket.until((frames) => shown(frames).length === 2)));
  platform.pass(1000);
  await events.until((frames) => shown(frames).length === 3);
  expect(shown(events.frames)).toEqual(['idle', 'finished', 'finished']);
  await hosted?.send('go on', { run: true });
  await events.until(
    (frames) => frames.filter((frame) => isState(frame, 'execution_status')).at(-1)?.['value'] === 'running',
  );
  platform.pass(2000);
  going.resolve();
  await events.until((frames) => shown(frames).length === 4);
  platform.pass(1000);
  await bench.append('behind it');
  await Promise.all([events, session].map((socket) => socket.until((frames) => textsOf(frames).includes('behind it'))));
  expect(shown(events.frames)).toEqual(['idle', 'finished', 'finished', 'finished']);
  expect(shown(session.frames)).toEqual(['idle', 'finished', 'finished']);
});

test('nothing is shown again once the next message has changed the status', async () => {
  const platform = new ManualPlatform();
  const bench = await startBench({ platform, think: () => 'short' });
  const socket = bench.open();
  await socket.find(isFullState);
  const shown = (): readonly unknown[] => socket.frames.filter(isFullState).map(statusOf);
  const hosted = bench.host.loaded(bench.id);
  await hosted?.send('go', { run: true });
  await socket.until(() => shown().length === 2);
  await hosted?.send('a client that sees "finished" now takes it for the end of the next run');
  await socket.until((frames) => frames.some((frame) => textsOf([frame]).join().includes('takes it for')));
  platform.pass(1000);
  await bench.append('behind it');
  await socket.until((frames) => textsOf(frames).includes('behind it'));
  expect(shown()).toEqual(['idle', 'finished']);
});

test('an error is not shown again, because a client takes it from the frame of the status', async () => {
  const platform = new ManualPlatform();
  const bench = await startBench({ platform, think: () => Promise.reject(new Error('no model')) });
  const socket = bench.open();
  await socket.find(isFullState);
  const shown = (): readonly unknown[] => socket.frames.filter(isFullState).map(statusOf);
  await bench.host.loaded(bench.id)?.send('go', { run: true });
  await socket.until(() => shown().length === 2);
  platform.pass(1000);
  await bench.append('behind it');
  await socket.until((frames) => textsOf(frames).includes('behind it'));
  expect(shown()).toEqual(['idle', 'error']);
});

test('a client that comes while the agent works is shown the state at once, and it says running', async () => {
  const going = Promise.withResolvers<void>();
  onTestFinished(() => going.resolve());
  const bench = await startBench({ think: () => going.promise.then(() => 'done') });
  await bench.host.loaded(bench.id)?.send('go', { run: true });
  for (const socket of [bench.open(), bench.session()])
    expect(statusOf(await socket.find(isFullState))).toBe('running');
});

test('pausing and interrupting show the whole state', async () => {
  const bench = await startBench({
    think: ({ context: { signal } }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  const socket = bench.open();
  await socket.find(isFullState);
  const hosted = bench.host.loaded(bench.id);
  await hosted?.send('go', { run: true });
  await hosted?.interrupt();
  await socket.until((frames) => frames.filter(isFullState).some((frame) => statusOf(frame) === 'paused'));
  const kinds = socket.frames.map(({ kind }) => kind);
  expect(kinds.indexOf('InterruptEvent')).toBeLessThan(kinds.lastIndexOf('ConversationStateUpdateEvent'));
});

test('more than fifty sockets follow one conversation, and each is told everything', async () => {
  const bench = await startBench();
  const sockets = Array.from({ length: 120 }, (_, index) => (index % 2 === 0 ? bench.open() : bench.session()));
  await Promise.all(sockets.map((socket) => socket.find(isFullState)));
  await bench.append('one', 'two', 'three');
  await Promise.all(sockets.map((socket) => socket.until((frames) => textsOf(frames).length === 3)));
  for (const socket of sockets) expect(textsOf(socket.frames)).toEqual(['one', 'two', 'three']);
});

test('P2: a conversation that another process writes is followed all the same, and takes no message here', async () => {
  const store = new MemoryStore();
  const bench = await startBench({ store });
  const agent = new StreamingAgent();
  const other = await openLocalConversation(
    { storeAt: () => store, agents: only(agent) },
    { agent, store, workspace: bench.folder },
  );
  onTestFinished(() => other.close());
  await other.state.append([drafts.environmentMessage('before')]);
  const socket = bench.open(`session/${other.id}?after_seq=-1`);
  await socket.find(isFullState);
  await other.state.append([drafts.environmentMessage('after')]);
  await socket.until((frames) => textsOf(frames).length === 2);
  expect(textsOf(socket.frames)).toEqual(['before', 'after']);
  socket.send({ role: 'user', content: 'hello' });
  expect(await socket.find(({ type }) => type === 'error')).toMatchObject({ code: 'OWNED' });
  await other.sendMessage('from there');
  await other.run();
  await socket.until((frames) => frames.filter(isFullState).some((frame) => statusOf(frame) === 'finished'));
  const seqs = socket.frames.flatMap(({ type, seq }) => (type === 'durable' ? [seq] : []));
  expect(seqs).toEqual(Array.from({ length: other.events.length }, (_, index) => index));
});
