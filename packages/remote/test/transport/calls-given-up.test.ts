import { isConversationError } from '@conv/core';
import { expect, test } from 'vitest';

import { Bench } from '../support/bench.ts';

test('aborting the opening rejects with the reason, and later it means nothing', async () => {
  const controller = new AbortController();
  const reason = new Error('changed my mind');
  await using bench = await Bench.start({
    fault: ({ path }) => (path === '/api/conversations' && controller.abort(reason), undefined),
  });
  expect(await bench.open({ signal: controller.signal }).catch((error: unknown) => error)).toBe(reason);
  bench.server.options = {};
  const later = new AbortController();
  const conversation = await bench.open({ signal: later.signal });
  later.abort(reason);
  await conversation.sendMessage('Hello');
});

test('aborting a side question rejects with the reason', async () => {
  const [asked, controller] = [Promise.withResolvers<void>(), new AbortController()];
  await using bench = await Bench.start({
    fault: ({ path }) => {
      if (!path.endsWith('/ask_agent')) return undefined;
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const conversation = await bench.open();
  const answer = conversation.askAgent('What?', { signal: controller.signal }).catch((error: unknown) => error);
  await asked.promise;
  const reason = new Error('never mind');
  controller.abort(reason);
  expect(await answer).toBe(reason);
});

test('close rejects a pending run with CLOSED, and the run continues', async () => {
  const started = Promise.withResolvers<void>();
  await using bench = await Bench.start({ turns: [() => (started.resolve(), new Promise(() => {}))] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const ended = conversation.run().catch((error: unknown) => error);
  await started.promise;
  await conversation.close();
  expect(isConversationError(await ended, 'CLOSED')).toBe(true);
  expect(bench.server.count('POST', /interrupt|pause/)).toBe(0);
});

test('a run that exceeds its timeout rejects TIMEOUT and continues; it can be joined', async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await Bench.start({ turns: [async (one) => (await gate.promise, one.say('Done.'), 'finished')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const error = await conversation.run({ timeout: 30, pollInterval: 10 }).catch((reason: unknown) => reason);
  expect(isConversationError(error, 'TIMEOUT')).toBe(true);
  const busy = await conversation.run().catch((reason: unknown) => reason);
  expect(isConversationError(busy, 'BUSY')).toBe(true);
  const joined = conversation.run({ join: true, pollInterval: 20 });
  gate.resolve();
  expect((await joined).status).toBe('finished');
});

test('a run without a waiting caller is accepted, and subscribers see its status', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const finished = Promise.withResolvers<void>();
  conversation.subscribe({
    onStateChange: ({ executionStatus }) => void (executionStatus === 'finished' && finished.resolve()),
  });
  await conversation.sendMessage('Go');
  expect(await conversation.run({ blocking: false })).toEqual({ status: 'running', iterations: 0 });
  await finished.promise;
});
