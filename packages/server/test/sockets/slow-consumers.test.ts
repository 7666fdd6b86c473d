import { drafts, MAX_EVENT_BYTES } from '@conv/core/events';
import { expect, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { isState, textsOf, type Frame, type TestSocket } from '../support/test-socket.ts';

const KIB = 1024;
const joined = (socket: TestSocket): Promise<unknown> => socket.find((frame) => isState(frame, 'full_state'));
const seqs = (frames: readonly Frame[]): readonly number[] =>
  frames.flatMap(({ type, seq }) => (type === 'durable' ? [seq as number] : []));
const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, index) => index);

test('a client that does not read is closed; who publishes and the other clients are not held up', async () => {
  const told: unknown[] = [];
  const observer = {
    opened: (path: string) => told.push(['opened', path]),
    closed: (path: string, by?: object) => told.push(['closed', path, by]),
  };
  const bench = await startBench({ limits: { frame: 128 * KIB, pending: 512 * KIB }, observer });
  const [stalled, reading] = [bench.session(), bench.session()];
  await Promise.all([joined(stalled), joined(reading)]);
  stalled.socket.pause();
  let appended = 0;
  // the system's buffers for a peer that does not read come on top of the server's
  while (bench.sockets.size === 2 && appended < 1000) {
    await bench.append('x'.repeat(64 * KIB));
    appended++;
    await reading.until((frames) => seqs(frames).length === appended);
  }
  expect(bench.sockets.size).toBe(1);
  const path = '/sockets/session/{conversation_id}';
  expect(told).toEqual([
    ['opened', path],
    ['opened', path],
    ['closed', path, expect.objectContaining({ code: 1013, reason: 'slow_consumer' })],
  ]);
  expect(seqs(reading.frames)).toEqual(upTo(appended));
  stalled.socket.resume();
  expect(await stalled.closed).toEqual({ code: 1013, reason: 'slow_consumer' });
  const received = seqs(stalled.frames);
  expect(received).toEqual(upTo(received.length));
  expect(received.length).toBeLessThan(appended);
  const again = bench.session(received.length - 1);
  await again.until((frames) => seqs(frames).length === appended - received.length);
  expect([...received, ...seqs(again.frames)]).toEqual(upTo(appended));
});

test('the end of a run waits for no client', async () => {
  const bench = await startBench({ think: () => 'w'.repeat(200 * KIB) });
  const [stalled, reading] = [bench.session(), await bench.session().opened()];
  await Promise.all([joined(stalled), joined(reading)]);
  stalled.socket.pause();
  const statusOf = (frame: Frame): unknown =>
    (frame['event'] as { value?: { execution_status?: unknown } }).value?.execution_status;
  for (let turn = 1; turn <= 20; turn++) {
    reading.send({ role: 'user', content: `${turn}` });
    const ends = (frames: readonly Frame[]): readonly Frame[] =>
      frames.filter((frame) => isState(frame, 'full_state') && statusOf(frame) === 'finished');
    await reading.until((frames) => ends(frames).length === turn);
  }
  expect(textsOf(reading.frames)).toHaveLength(40);
});

test('a client that stalls while a long log is repeated costs a page of it, not the log', async () => {
  const bench = await startBench({ limits: { frame: 128 * KIB, pending: 512 * KIB } });
  for (let number = 0; number < 200; number++) await bench.append('y'.repeat(64 * KIB));
  const stalled = await bench.session(-1).opened();
  stalled.socket.pause();
  const reading = bench.session(-1);
  await reading.until((frames) => seqs(frames).length === 200);
  // more than may be pending was to be repeated, and still it is only behind
  expect(bench.sockets.size).toBe(2);
  await bench.append('meanwhile');
  stalled.socket.resume();
  await stalled.until((frames) => seqs(frames).length === 201);
  expect(seqs(stalled.frames)).toEqual(upTo(201));
});

test('a frame that is too large closes the session socket, and the client continues after its event', async () => {
  const bench = await startBench({ limits: { frame: 64 * KIB, pending: 512 * KIB } });
  const socket = bench.session();
  await joined(socket);
  await bench.append('small', 'z'.repeat(100 * KIB), 'small again');
  expect(await socket.closed).toEqual({ code: 1013, reason: 'frame_too_large' });
  expect(seqs(socket.frames)).toEqual([0]);
  const same = bench.session(0);
  expect((await same.closed).reason).toBe('frame_too_large');
  const behind = bench.session(1);
  await behind.until((frames) => seqs(frames).length === 1);
  expect(seqs(behind.frames)).toEqual([2]);
});

test('P12: the largest event that a log takes fits a frame of the events socket and of the session socket', async () => {
  const bench = await startBench();
  const sizes: number[] = [];
  const [events, session] = [bench.open(), bench.session()];
  await Promise.all([joined(events), joined(session)]);
  events.socket.on('message', (data) => sizes.push((data as Buffer).length));
  const room =
    MAX_EVENT_BYTES -
    Buffer.byteLength(JSON.stringify((await bench.state().append([drafts.environmentMessage('')]))[0])) -
    100;
  await bench.append('w'.repeat(room));
  await Promise.all([events, session].map((socket) => socket.until((frames) => textsOf(frames).length === 2)));
  expect(Math.max(...sizes)).toBeGreaterThan(MAX_EVENT_BYTES - 1000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
});

test('the whole state stays below 1 MiB however large the skills of the agent are', async () => {
  const skills = Array.from({ length: 40 }, (_, number) => ({ name: `s${number}`, content: 'k'.repeat(60_000) }));
  const bench = await startBench();
  const socket = bench.open();
  await joined(socket);
  const agent = { kind: 'Agent', llm: { model: 'test' }, agent_context: { skills, load_user_skills: true } };
  await bench.state().update({ set: { agent } });
  bench.host.loaded(bench.id)?.publishSnapshot();
  await socket.until((frames) => frames.filter((frame) => isState(frame, 'full_state')).length === 2);
  const last = socket.frames.at(-1) as { value: { agent: object; max_iterations: number } };
  expect(Buffer.byteLength(JSON.stringify(last))).toBeLessThan(1024 * KIB);
  expect(last.value.agent).toEqual({ ...agent, agent_context: { skills: [], load_user_skills: true } });
  expect(last.value.max_iterations).toBe(500);
});
