import { expect, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { eventOf, isState, textsOf, type Frame } from '../support/test-socket.ts';

const isFullState = (frame: Frame): boolean => isState(frame, 'full_state');
const statusOf = (frame: Frame): unknown => (frame['value'] as { execution_status?: unknown }).execution_status;

test('the whole state comes first, then what happens; what was before is not repeated', async () => {
  const bench = await startBench();
  await bench.append('before');
  const socket = bench.open();
  await socket.until((frames) => frames.length === 1);
  await bench.append('one', 'two');
  await socket.until((frames) => textsOf(frames).length === 2);
  expect(socket.frames.filter(isFullState)).toHaveLength(1);
  expect(isFullState(socket.frames[0] as Frame)).toBe(true);
  expect(textsOf(socket.frames)).toEqual(['one', 'two']);
});

test('the whole state names what clients read, and no secret', async () => {
  const bench = await startBench({ llm: { api_key: 'sk-very-secret', base_url: null } });
  const socket = bench.open();
  const { value, ...event } = await socket.find(isFullState);
  expect(event).toMatchObject({ source: 'environment', key: 'full_state', kind: 'ConversationStateUpdateEvent' });
  expect(event['timestamp']).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/);
  expect(value).toMatchObject({
    id: bench.id,
    agent: { llm: { model: 'test', api_key: '**********' } },
    execution_status: 'idle',
    confirmation_policy: { kind: 'NeverConfirm' },
    stats: { usage_to_metrics: {} },
  });
  expect(Object.keys(value as object)).toEqual(
    expect.arrayContaining([
      'workspace',
      'persistence_dir',
      'max_iterations',
      'secret_registry',
      'tags',
      'agent_state',
    ]),
  );
});

test('resend_mode=all repeats the log from its beginning, in order and each event once, and goes on', async () => {
  const bench = await startBench();
  const texts = Array.from({ length: 350 }, (_, index) => `n${index}`);
  await bench.append(...texts.slice(0, 300));
  const socket = bench.open(`events/${bench.id}?resend_mode=all`);
  await socket.until((frames) => frames.length > 20);
  await bench.append(...texts.slice(300));
  await socket.until((frames) => textsOf(frames).length === 350);
  expect(textsOf(socket.frames)).toEqual(texts);
});

test('resend_all is the older name of resend_mode=all, and counts only without it', async () => {
  const bench = await startBench();
  await bench.append('before');
  const all = bench.open(`events/${bench.id.replaceAll('-', '').toUpperCase()}?resend_all=true`);
  await all.until((frames) => textsOf(frames).length === 1);
  const since = bench.open(`events/${bench.id}?resend_all=true&resend_mode=since`);
  await since.find(isFullState);
  await bench.append('after');
  await since.until((frames) => textsOf(frames).length === 1);
  expect(textsOf(since.frames)).toEqual(['after']);
});

test('resend_mode=since repeats from a time on, the time itself included', async () => {
  const bench = await startBench();
  await bench.append('one', 'two', 'three');
  const events = await bench.state().events.slice();
  const time = events[1]?.timestamp as string;
  const socket = bench.open(`events/${bench.id}?resend_mode=since&after_timestamp=${encodeURIComponent(time)}`);
  await socket.until((frames) => textsOf(frames).length === 2);
  expect(textsOf(socket.frames)).toEqual(['two', 'three']);
});

test('a message from the client is stored and answered; a run is running, its events, then the whole state', async () => {
  const bench = await startBench({ think: () => 'hello there' });
  const socket = await bench.open().opened();
  await socket.find(isFullState);
  socket.send({ role: 'user', content: [{ type: 'text', text: 'hello' }], run: true });
  await socket.until((frames) => frames.filter(isFullState).length === 2);
  expect(textsOf(socket.frames)).toEqual(['hello', 'hello there']);
  const last = socket.frames.at(-1) as Frame;
  expect([isFullState(last), statusOf(last)]).toEqual([true, 'finished']);
  const statuses = socket.frames.filter((frame) => isState(frame, 'execution_status')).map(({ value }) => value);
  expect(statuses).toEqual(['running', 'finished']);
  expect(socket.frames.map(eventOf).some(({ kind }) => kind === 'StreamingDeltaEvent')).toBe(false);
});

test('an invalid message is answered on its socket alone, and the socket stays open', async () => {
  const bench = await startBench();
  const [socket, other] = [await bench.open().opened(), await bench.open().opened()];
  await other.find(isFullState);
  socket.send('{ not json');
  socket.send('[1, 2]');
  socket.send({ role: 'user', content: [{ type: 'text', text: 7 }] });
  socket.send({ role: 'assistant', content: 'I say' });
  socket.socket.send(Buffer.from([1, 2, 3]));
  socket.send({ type: 'auth', session_api_key: 'late' });
  socket.send({ role: 'user', content: 'ok' });
  await socket.until((frames) => textsOf(frames).includes('ok'));
  const errors = socket.frames.filter(({ kind }) => kind === 'ServerErrorEvent');
  expect(errors.map(({ code, source }) => [code, source])).toEqual([
    ['JSONDecodeError', 'environment'],
    ['ValidationError', 'environment'],
    ['ValidationError', 'environment'],
    ['AssertionError', 'environment'],
    ['ValidationError', 'environment'],
  ]);
  await other.until((frames) => textsOf(frames).includes('ok'));
  expect(other.frames.some(({ kind }) => kind === 'ServerErrorEvent')).toBe(false);
});

test('pieces of an answer are shown when its agent streams', async () => {
  const bench = await startBench({
    llm: { stream: true },
    think: ({ say }) => {
      say('thinking', { kind: 'reasoning' });
      say('do');
      say('ne');
      say('{}', { kind: 'tool_call' });
      return 'done';
    },
  });
  const socket = await bench.open().opened();
  await socket.find(isFullState);
  socket.send({ role: 'user', content: 'go' });
  await socket.until((frames) => textsOf(frames).length === 2);
  const deltas = socket.frames.filter(({ kind }) => kind === 'StreamingDeltaEvent');
  expect(deltas.map(({ source, content, reasoning_content }) => ({ source, content, reasoning_content }))).toEqual([
    { source: 'agent', content: undefined, reasoning_content: 'thinking' },
    { source: 'agent', content: 'do', reasoning_content: undefined },
    { source: 'agent', content: 'ne', reasoning_content: undefined },
  ]);
});
