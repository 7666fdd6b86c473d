import { expect, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { isState, textsOf, type Frame } from '../support/test-socket.ts';

const isFullState = (frame: Frame): boolean => frame['type'] === 'transient' && isState(frame, 'full_state');
const durable = (frames: readonly Frame[]): readonly Frame[] => frames.filter(({ type }) => type === 'durable');
const seqs = (frames: readonly Frame[]): readonly unknown[] => durable(frames).map(({ seq }) => seq);
const kinds = (frames: readonly Frame[]): readonly unknown[] => frames.map(({ type }) => type);

test('a session without a cursor repeats nothing: sync, the whole state, then what happens', async () => {
  const bench = await startBench();
  await bench.append('before');
  const socket = bench.session();
  await socket.until((frames) => frames.length === 2);
  await bench.append('after');
  await socket.until((frames) => durable(frames).length === 1);
  expect(socket.frames[0]).toEqual({ type: 'sync', from_seq: null, through_seq: 0 });
  expect(isFullState(socket.frames[1] as Frame)).toBe(true);
  expect([seqs(socket.frames), textsOf(socket.frames)]).toEqual([[1], ['after']]);
});

test('an empty log is synchronised at once', async () => {
  const bench = await startBench();
  const socket = bench.session(-1);
  await socket.until((frames) => frames.length === 2);
  expect(socket.frames[0]).toEqual({ type: 'sync', from_seq: -1, through_seq: null });
  await bench.append('first');
  await socket.until((frames) => durable(frames).length === 1);
  expect(seqs(socket.frames)).toEqual([0]);
});

test('P11: a cursor repeats what comes after it, then the whole state, then goes on without a gap', async () => {
  const bench = await startBench();
  await bench.append(...Array.from({ length: 250 }, (_, index) => `n${index}`));
  const socket = bench.session(99);
  await socket.find(isFullState);
  await bench.append('live');
  await socket.until((frames) => durable(frames).length === 151);
  expect(socket.frames[0]).toEqual({ type: 'sync', from_seq: 99, through_seq: 249 });
  expect(seqs(socket.frames)).toEqual(Array.from({ length: 151 }, (_, index) => 100 + index));
  expect(socket.frames.findIndex(isFullState)).toBe(151);
});

test('the last cursor repeats nothing, and one behind the end of the log is said to be', async () => {
  const bench = await startBench();
  await bench.append('one', 'two');
  const [last, ahead] = [bench.session(1), bench.session(7)];
  await Promise.all([last.find(isFullState), ahead.find(isFullState)]);
  expect(kinds(last.frames)).toEqual(['sync', 'transient']);
  expect(ahead.frames.slice(0, 2)).toEqual([
    { type: 'sync', from_seq: 7, through_seq: 1 },
    { type: 'error', code: 'cursor_ahead', detail: 'The log ends before event 7; ask again without after.' },
  ]);
  await bench.append('three');
  await Promise.all([last, ahead].map((socket) => socket.until((frames) => durable(frames).length === 1)));
  expect([seqs(last.frames), seqs(ahead.frames)]).toEqual([[2], [2]]);
});

test('an answer begins with item_started and ends with the durable event of that id', async () => {
  const bench = await startBench({
    think: ({ say }) => {
      say('hm', { kind: 'reasoning' });
      say('do');
      say('{}', { kind: 'tool_call' });
      say('d', { attempt: 2 });
      say('one', { attempt: 2 });
      return 'done';
    },
  });
  const socket = await bench.session(-1).opened();
  await socket.find(isFullState);
  socket.send({ role: 'user', content: [{ type: 'text', text: 'go' }] });
  await socket.until((frames) => textsOf(frames).length === 2);
  const answer = durable(socket.frames).at(-1) as { event: { id: string }; seq: number };
  const id = answer.event.id;
  const anchor = answer.seq - 1;
  const progress = socket.frames.filter(({ type }) => type === 'item_started' || type === 'delta');
  expect(progress).toEqual([
    { type: 'item_started', item_id: id, attempt: 1, anchor_seq: anchor },
    { type: 'delta', item_id: id, attempt: 1, order: 0, kind: 'reasoning', content: 'hm' },
    { type: 'delta', item_id: id, attempt: 1, order: 1, kind: 'text', content: 'do' },
    { type: 'item_started', item_id: id, attempt: 2, anchor_seq: anchor },
    { type: 'delta', item_id: id, attempt: 2, order: 0, kind: 'text', content: 'd' },
    { type: 'delta', item_id: id, attempt: 2, order: 1, kind: 'text', content: 'one' },
  ]);
  expect(kinds(socket.frames)).not.toContain('item_aborted');
});

test('an answer that fails or is interrupted ends with item_aborted', async () => {
  const bench = await startBench({
    think: ({ number, say, context: { signal } }) => {
      say(`part ${number}`);
      if (number === 1) throw new Error('the provider hung up');
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const socket = await bench.session().opened();
  await socket.find(isFullState);
  socket.send({ role: 'user', content: 'go' });
  const failed = await socket.find(({ type }) => type === 'item_aborted');
  await socket.until((frames) => frames.filter(isFullState).length === 2);
  socket.send({ role: 'user', content: 'again' });
  await socket.until((frames) => frames.filter(({ type }) => type === 'delta').length === 2);
  await bench.host.loaded(bench.id)?.interrupt();
  await socket.until((frames) => frames.filter(({ type }) => type === 'item_aborted').length === 2);
  const started = socket.frames.filter(({ type }) => type === 'item_started').map(({ item_id }) => item_id);
  const aborted = socket.frames.filter(({ type }) => type === 'item_aborted');
  expect(failed).toEqual({ type: 'item_aborted', item_id: started[0], attempt: 1, reason: 'failed' });
  expect(aborted.map(({ item_id, reason }) => [item_id, reason])).toEqual([
    [started[0], 'failed'],
    [started[1], 'cancelled'],
  ]);
  const ids = durable(socket.frames).map(({ event }) => (event as { id: string }).id);
  expect(ids.filter((id) => started.includes(id))).toEqual([]);
});

test('a client that comes in the middle of an answer gets only its event', async () => {
  const going = Promise.withResolvers<void>();
  const bench = await startBench({
    think: async ({ say }) => {
      say('do');
      await going.promise;
      say('ne');
      return 'done';
    },
  });
  const early = await bench.session().opened();
  await early.find(isFullState);
  early.send({ role: 'user', content: 'go' });
  await early.find(({ type }) => type === 'delta');
  const late = bench.session();
  await late.find(isFullState);
  going.resolve();
  await Promise.all([early, late].map((socket) => socket.until((frames) => textsOf(frames).includes('done'))));
  expect(kinds(early.frames).filter((type) => type === 'delta')).toHaveLength(2);
  expect(kinds(late.frames).filter((type) => type !== 'transient')).toEqual(['sync', 'durable']);
});

test('a model is asked to stream only while a client follows', async () => {
  const streamed: boolean[] = [];
  const bench = await startBench({
    think: ({ context }) => {
      streamed.push(context.onToken !== undefined);
      return 'done';
    },
  });
  const events = await bench.open().opened();
  await events.find((frame) => isState(frame, 'full_state'));
  events.send({ role: 'user', content: 'one' });
  await events.until((frames) => textsOf(frames).length === 2);
  const session = await bench.session().opened();
  await session.find(isFullState);
  session.send({ role: 'user', content: 'two' });
  await session.until((frames) => textsOf(frames).length === 2);
  expect(streamed).toEqual([false, true]);
});

test('an invalid message is answered with an error frame', async () => {
  const bench = await startBench();
  const socket = await bench.session().opened();
  socket.send('{');
  socket.send({ role: 'tool', content: '' });
  await socket.until((frames) => frames.filter(({ type }) => type === 'error').length === 2);
  const errors = socket.frames.filter(({ type }) => type === 'error');
  expect(errors.map(({ code }) => code)).toEqual(['JSONDecodeError', 'AssertionError']);
});

test('a run that ends is followed by the whole state, behind all of its events', async () => {
  const bench = await startBench();
  const socket = await bench.session().opened();
  await socket.find(isFullState);
  socket.send({ role: 'user', content: 'go' });
  await socket.until((frames) => frames.filter(isFullState).length === 2);
  const [last] = socket.frames.slice(-1) as [Frame];
  const { value } = last['event'] as { value: { execution_status: string } };
  expect([isFullState(last), value.execution_status]).toEqual([true, 'finished']);
  expect(textsOf(socket.frames)).toEqual(['go', 'done']);
});
