import { expect, test } from 'vitest';

import { isConversationError } from '@conv/core';

import type { StartableWorkspace } from '../src/index.ts';
import { Bench, collect, KINDS, told } from './support/bench.ts';

for (const [kind, capabilities] of KINDS) {
  test(`${kind}: a message is sent, a run answers it and ends with its whole tail given to subscribers`, async () => {
    await using bench = await Bench.start({ capabilities });
    const conversation = await bench.open();
    const { seen, numbers } = collect(conversation);
    const sent = await conversation.sendMessage('Hello');
    expect(conversation.events.length).toBe(bench.server.conversation.log.length);
    expect((await conversation.events.get(sent.id))?.kind).toBe('MessageEvent');
    expect(await conversation.run({ pollInterval: 50 })).toEqual({ status: 'finished', iterations: 1 });
    expect(seen.map(({ id }) => id)).toEqual(bench.server.conversation.log.map(({ id }) => id));
    expect(numbers).toEqual(seen.map((_, index) => index));
    expect(conversation.state.executionStatus).toBe('finished');
    expect(await conversation.finalResponse()).toBe('The end.');
  });

  test(`${kind}: P10: what waits for approval is pending, and can be approved by running and rejected`, async () => {
    const waiting = (one: { call: (text: string) => unknown }): string => (one.call('a'), 'waiting_for_confirmation');
    await using bench = await Bench.start({
      capabilities,
      turns: [waiting, (one) => (one.answer(one.pending), one.say('Done.'), 'finished'), waiting],
    });
    const conversation = await bench.open({ confirmationPolicy: { kind: 'AlwaysConfirm' } });
    await conversation.sendMessage('Go');
    expect((await conversation.run({ pollInterval: 50 })).status).toBe('waiting_for_confirmation');
    expect(conversation.state.pendingActions.map(({ tool_name }) => tool_name)).toEqual(['echo']);
    await conversation.approve();
    expect((await conversation.run({ pollInterval: 50 })).status).toBe('finished');
    expect(conversation.state.pendingActions).toEqual([]);
    await conversation.sendMessage('Again');
    await conversation.run({ pollInterval: 50 });
    await conversation.reject(undefined, 'no');
    expect(conversation.state.executionStatus).toBe('idle');
    expect(told(bench.server.conversation.log).at(-1)).toBe('UserRejectObservation');
  });
}

test('state and events offer the members of their contracts and no method that changes them', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const methodsOf = (value: object): readonly string[] => {
    const found: string[] = [];
    for (let one: object = value; one !== Object.prototype; one = Object.getPrototypeOf(one) as object)
      for (const [name, { value: member }] of Object.entries(Object.getOwnPropertyDescriptors(one)))
        if (typeof member === 'function' && name !== 'constructor') found.push(name);
    return found.sort();
  };
  expect(methodsOf(conversation.state)).toEqual(['conversationHistory']);
  const reading = ['at', 'branch', 'get', 'idAt', 'indexOf', 'leaves', 'messages', 'slice'];
  expect(methodsOf(conversation.events)).toEqual(reading);
});

test('P10: a message while waiting rejects what is pending first, also on a server that would run it', async () => {
  await using bench = await Bench.start({ turns: [(one) => (one.call('a'), 'waiting_for_confirmation')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  await conversation.run({ pollInterval: 50 });
  await conversation.sendMessage('Something else');
  const last = told(bench.server.conversation.log)
    .filter((one) => !one.startsWith('status'))
    .slice(-2);
  expect(last).toEqual(['UserRejectObservation', 'user']);
});

test('a server with joint decisions rejects UNSUPPORTED for one of two actions, and answers nothing', async () => {
  await using bench = await Bench.start({ turns: [(one) => (one.call('a', 'b'), 'waiting_for_confirmation')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  await conversation.run({ pollInterval: 50 });
  expect(conversation.features.wholeDecisions).toBe(true);
  const [first] = conversation.state.pendingActions;
  const refused = await conversation.reject([first?.id ?? '']).catch((error: unknown) => error);
  expect(isConversationError(refused, 'UNSUPPORTED')).toBe(true);
  const unknown = await conversation.approve(['nobody']).catch((error: unknown) => error);
  expect(isConversationError(unknown, 'UNKNOWN_ACTION')).toBe(true);
  expect(conversation.state.pendingActions).toHaveLength(2);
});

test('secrets that a conversation was made with are named, also where the server shows none', async () => {
  await using bench = await Bench.start();
  const secrets = { FIRST: 'value-of-first', SECOND: { value: 'value-of-second', description: 'another' } };
  const conversation = await bench.open({ secrets });
  expect(conversation.settings.secrets).toEqual([
    { name: 'FIRST', description: null },
    { name: 'SECOND', description: 'another' },
  ]);
});

test('closing a conversation deletes nothing, and it can be opened again', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  await conversation.sendMessage('Hello');
  await conversation.close();
  expect(bench.server.count('DELETE', /./)).toBe(0);
  const closed = await conversation.sendMessage('More').catch((error: unknown) => error);
  expect(isConversationError(closed, 'CLOSED')).toBe(true);
  const again = await bench.open({ id: conversation.id, create: 'never' });
  expect(again.events.length).toBe(conversation.events.length);
});

test('a server that does not say so takes no limit of a single run and names no secrets without a value', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open({ secrets: { PIN: '1234' } });
  await conversation.sendMessage('Go');
  const refused = await conversation.run({ maxIterations: 3 }).catch((reason: unknown) => reason);
  expect(isConversationError(refused, 'UNSUPPORTED')).toBe(true);
  expect(bench.server.conversation.runs).toBe(0);
  expect(conversation.settings.missingSecrets).toEqual([]);
  expect((await conversation.run({ pollInterval: 20 })).status).toBe('finished');
});

test('a server without these capabilities gives neither outline nor view, and gets no request for them', async () => {
  await using bench = await Bench.start();
  const { features, history } = await bench.open();
  expect([features.outline, features.view]).toEqual([false, false]);
  for (const asking of [history.outline(), history.view({ event: 0 })]) {
    const refused = await asking.catch((reason: unknown) => reason);
    expect(isConversationError(refused, 'UNSUPPORTED')).toBe(true);
  }
  expect(bench.server.count('GET', /outline|view/)).toBe(0);
});

test('a workspace that starts on first use is started with the signal of the opening', async () => {
  await using bench = await Bench.start();
  const signals: unknown[] = [];
  const start: StartableWorkspace['start'] = async ({ signal } = {}) => (signals.push(signal), bench.workspace());
  const { signal } = new AbortController();
  const workspace = { kind: 'RemoteWorkspace', host: 'later', workingDir: '/', start } as const;
  const conversation = await bench.open({ workspace, signal });
  expect(signals).toEqual([signal]);
  expect(conversation.state.executionStatus).toBe('idle');
});
