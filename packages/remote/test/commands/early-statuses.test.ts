import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { Bench, collect, NUMBERED } from '../support/bench.ts';
import type { FakeTurn } from '../support/fake-conversation.ts';

/** Resolves when the server was asked more often than a status needs that stays. */
async function looks(bench: Bench): Promise<void> {
  const { requests } = bench.server;
  const before = requests.length;
  await bench.until(() => requests.length > before + 10);
}

test('a pause is not the end of a run: the events of the step that it waits for are there when it ends', async () => {
  const [working, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turn: FakeTurn = async (one) => {
    const calls = one.call('slow');
    working.resolve();
    await gate.promise;
    one.answer(calls);
    return 'paused';
  };
  await using bench = await Bench.start({ turns: [turn] });
  const conversation = await bench.open();
  const { seen } = collect(conversation);
  await conversation.sendMessage('Go');
  await bench.until(() => bench.server.conversation.listeners.size > 0);
  const ended = conversation.run({ pollInterval: 20 });
  await working.promise;
  await conversation.pause();
  let over = false;
  ended.then(
    () => (over = true),
    () => (over = true),
  );
  await looks(bench);
  expect(over).toBe(false);
  gate.resolve();
  expect((await ended).status).toBe('paused');
  expect(seen.map(({ id }) => id)).toEqual(bench.server.conversation.log.map(({ id }) => id));
  expect(seen.some(({ kind }) => kind === 'ObservationEvent')).toBe(true);
});

test('an agent that a hook sends back to work has not finished, also when sockets tell nothing', async () => {
  const [finishing, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turn: FakeTurn = async (one) => {
    one.say('Done.');
    one.setStatus('finished');
    finishing.resolve();
    await gate.promise;
    one.setStatus('running');
    one.say('Now it is done.');
    return 'finished';
  };
  await using bench = await Bench.start({ turns: [turn], onFrame: () => {} });
  // the grace begins when the agent is back at work, because a busy machine may need long for the looks
  let start: number | undefined;
  const platform = { ...systemPlatform, now: () => (start === undefined ? 0 : systemPlatform.now() - start) };
  const conversation = await bench.open({ platform }, { finishedGrace: 500 });
  await conversation.sendMessage('Go');
  const ended = conversation.run({ pollInterval: 10 });
  await finishing.promise;
  await looks(bench);
  const { log } = bench.server.conversation;
  const before = log.length;
  gate.resolve();
  await bench.until(() => log.length > before && conversation.events.length === log.length);
  start = systemPlatform.now();
  expect(await ended).toEqual({ status: 'finished', iterations: 2 });
});

test('a call that no policy asks about is no question on a server that tells late of a run', async () => {
  const turn: FakeTurn = (one) => {
    one.answer(one.call('ls'));
    one.say('Done.');
    return 'finished';
  };
  await using bench = await Bench.start({
    capabilities: NUMBERED,
    turns: [turn],
    onFrame: (frame, to) => (JSON.stringify(frame).includes('"running"') ? undefined : to.send(frame)),
  });
  const conversation = await bench.open({ confirmationPolicy: { kind: 'NeverConfirm' } });
  const statuses: string[] = [];
  conversation.subscribe({ onStateChange: ({ executionStatus }) => void statuses.push(executionStatus) });
  await conversation.sendMessage('Go');
  expect(await conversation.run({ pollInterval: 20 })).toMatchObject({ status: 'finished' });
  expect(statuses).toContain('running');
  expect(statuses).not.toContain('waiting_for_confirmation');
});

test('P9: a model key that the server quotes in the log is in no error and no reason of a run', async () => {
  const key = 'sk-MODEL-KEY-0123456789';
  const failing =
    (code: string): FakeTurn =>
    (one) => {
      const detail = `401: the key ${key} is not known`;
      one.append({ kind: 'ConversationErrorEvent', source: 'environment', code, detail } as never);
      return code === 'StuckDetected' ? 'stuck' : 'error';
    };
  const codes = ['LLMAuthenticationError', 'MaxIterationsReached', 'StuckDetected'];
  await using bench = await Bench.start({ turns: codes.map(failing) });
  const conversation = await bench.open({ agent: { kind: 'Agent', llm: { model: 'fake', api_key: key } } });
  await conversation.sendMessage('Go');
  const error = await conversation.run({ pollInterval: 20 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'RUN_FAILED', cause: { name: 'LLMAuthenticationError' } });
  const limit = await conversation.run({ pollInterval: 20 });
  const stuck = await conversation.run({ pollInterval: 20 });
  const shown = [String(error), String((error as Error).cause), JSON.stringify([limit.reason, stuck.reason])];
  for (const text of shown) expect(text).toContain('the key <secret-hidden> is not known');
  expect(shown.join()).not.toContain(key);
});

test('a run that fails rejects RUN_FAILED with what the log says, and one at its limit does not', async () => {
  const failing =
    (code: string): FakeTurn =>
    (one) => {
      one.append({
        kind: 'ConversationErrorEvent',
        source: 'environment',
        code,
        detail: `because of ${code}`,
      } as never);
      return 'error';
    };
  await using bench = await Bench.start({ turns: [failing('LLMBadRequestError'), failing('MaxIterationsReached')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const error = await conversation.run({ pollInterval: 20 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'RUN_FAILED', cause: { name: 'LLMBadRequestError' } });
  expect(String(error)).toMatch(/stored on the server http:\/\/.*, failed: because of LLMBadRequestError/u);
  const reason = { code: 'MaxIterationsReached', detail: 'because of MaxIterationsReached' };
  expect(await conversation.run({ pollInterval: 20 })).toMatchObject({ status: 'error', reason });
});
