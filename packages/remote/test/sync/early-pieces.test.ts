import { expect, test } from 'vitest';

import { Bench, NUMBERED } from '../support/bench.ts';
import type { FakeSocket } from '../support/fake-server.ts';

test('P11: the pieces of an answer are delivered after the events before it, however late REST answers', async () => {
  const released = Promise.withResolvers<undefined>();
  let held = false;
  let server: FakeSocket | undefined;
  await using bench = await Bench.start({
    capabilities: NUMBERED,
    fault: ({ path }) => (held && path.endsWith('/events/search') ? released.promise : undefined),
    onSocket: (socket) => void (server = socket),
  });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const told: string[] = [];
  const outputs = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  conversation.subscribe({
    onToken: ({ text }) => void told.push(`${text} after ${conversation.events.length}`),
    onAnswerAborted: () => aborted.resolve(),
    onOutput: () => outputs.resolve(),
  });
  held = true;
  const { conversation: there } = bench.server;
  there.setStatus('running');
  there.say('one');
  there.say('two');
  const { length } = there.log;
  server?.send({ type: 'item_started', item_id: 'answer', attempt: 1, anchor_seq: length - 1 });
  server?.send({ type: 'delta', item_id: 'answer', attempt: 1, order: 0, kind: 'text', content: 'Hel' });
  server?.send({ type: 'delta', item_id: 'answer', attempt: 1, order: 1, kind: 'text', content: 'lo' });
  server?.send({ type: 'item_aborted', item_id: 'answer', attempt: 1, reason: 'cancelled' });
  // this frame comes last, and waits for nothing
  server?.send({ type: 'tool_output', tool_call_id: 'call', content: 'line' });
  await outputs.promise;
  expect(told).toEqual([]);
  held = false;
  released.resolve(undefined);
  await aborted.promise;
  expect(told).toEqual([`Hel after ${length}`, `lo after ${length}`]);
});

test('P11: pieces that a socket brings after the event of their answer are not delivered', async () => {
  let server: FakeSocket | undefined;
  await using bench = await Bench.start({ capabilities: NUMBERED, onSocket: (socket) => void (server = socket) });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const told: string[] = [];
  const outputs = Promise.withResolvers<void>();
  const { conversation: there } = bench.server;
  there.setStatus('running');
  there.say('Hello');
  const answer = there.log.at(-1)?.id;
  const known = Promise.withResolvers<void>();
  conversation.subscribe({
    onEvent: ({ id }) => void (id === answer && known.resolve()),
    onToken: ({ text }) => void told.push(text),
    onOutput: () => outputs.resolve(),
  });
  await known.promise;
  server?.send({ type: 'item_started', item_id: answer, attempt: 1, anchor_seq: there.log.length - 2 });
  server?.send({ type: 'delta', item_id: answer, attempt: 1, order: 0, kind: 'text', content: 'Hello' });
  server?.send({ type: 'delta', item_id: 'next', attempt: 1, order: 0, kind: 'text', content: 'And' });
  server?.send({ type: 'tool_output', tool_call_id: 'call', content: 'line' });
  await outputs.promise;
  expect(told).toEqual(['And']);
});
