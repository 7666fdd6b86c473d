import type { Conversation } from '@conv/core';
import { expect, test } from 'vitest';

import { Editor } from './editor.ts';
import { echoing, openLocal, RUNTIMES, scripted, serving } from './opened.ts';

test.each(RUNTIMES)('P10: a call of %s runs only when the person at the editor allows it', async (_, open) => {
  const conversation = await open(scripted(echoing('hi'), echoing('no'), { text: 'Done.' }), 'AlwaysConfirm');
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  const first = await editor.question();
  const [action] = conversation.state.pendingActions;
  expect(first).toMatchObject({
    sessionId,
    toolCall: { toolCallId: action?.id, title: 'echo', status: 'pending', rawInput: { words: 'hi' } },
    options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
  });
  first.answer('allow');
  const second = await editor.question(1);
  second.answer('reject');
  expect(await turn).toBe('end_turn');
  expect(editor.shown).toEqual(['echo: completed', 'echo: failed', 'agent: Done.']);
});

test('P10: calls that wait together run when all are decided, each as it was decided', async () => {
  const conversation = await openLocal(scripted(echoing('a', 'b'), { text: 'Done.' }), 'AlwaysConfirm');
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  const [one, two] = [await editor.question(0), await editor.question(1)];
  one.answer('allow');
  await expect.poll(() => Object.values(conversation.state.calls)).toContain('approved');
  expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  two.answer('reject');
  expect(await turn).toBe('end_turn');
  expect(editor.shown).toEqual(['echo: completed', 'echo: failed', 'agent: Done.']);
  expect(editor.questions).toHaveLength(2);
});

test('P10: an allowed kind runs without a question in this conversation, until a mode is chosen', async () => {
  const conversation = await openLocal(
    scripted(echoing('a', 'b'), echoing('c'), { text: 'Done.' }, echoing('d'), { text: 'Asked.' }),
    'AlwaysConfirm',
  );
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  const [one, two] = [await editor.question(0), await editor.question(1)];
  expect(one.options[1]).toMatchObject({
    optionId: 'allow-always',
    name: 'Always allow echo calls rated UNKNOWN in this conversation',
  });
  one.answer('allow-always');
  expect(await turn).toBe('end_turn');
  expect([editor.questions.length, two.signal.aborted]).toEqual([2, true]);
  expect(editor.shown).toEqual([...Array.from({ length: 3 }, () => 'echo: completed'), 'agent: Done.']);
  await editor.agent.request('session/set_mode', { sessionId, modeId: 'ask' });
  const later = editor.say(sessionId, 'Again');
  (await editor.question(2)).answer('reject');
  expect(await later).toBe('end_turn');
});

test('P10: a server with joint decisions is told when all are made, and rejects all if one is rejected', async () => {
  const conversation = await openLocal(
    scripted(echoing('a', 'b'), echoing('c', 'd'), { text: 'Done.' }),
    'AlwaysConfirm',
  );
  const editor = new Editor(serving(decidingWhole(conversation)));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  for (const [place, option] of ['allow', 'allow', 'allow', 'reject'].entries())
    (await editor.question(place)).answer(option);
  expect(await turn).toBe('end_turn');
  const calls = [
    ...Array.from({ length: 2 }, () => 'echo: completed'),
    ...Array.from({ length: 2 }, () => 'echo: failed'),
  ];
  expect(editor.shown).toEqual([...calls, 'agent: Done.']);
});

/** A conversation that refuses decisions on some of its calls, as servers of OpenHands do. */
function decidingWhole(conversation: Conversation): Conversation {
  return new Proxy(conversation, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'features') return { ...target.features, wholeDecisions: true };
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]): unknown => {
        const isPart = (name === 'approve' || name === 'reject') && given[0] !== undefined;
        return isPart ? Promise.reject(new Error('only some calls')) : Reflect.apply(value, target, given);
      };
    },
  });
}

test.each(RUNTIMES)('P10: a question about a call of %s that another editor answered is withdrawn', async (_, open) => {
  const conversation = await open(scripted(echoing('hi'), { text: 'Done.' }), 'AlwaysConfirm');
  const [one, two] = [new Editor(serving(conversation)), new Editor(serving(conversation))];
  const sessionId = await one.newSession();
  await two.load(sessionId);
  const turn = one.say(sessionId, 'Go');
  const [asked, other] = [await one.question(), await two.question()];
  other.answer('allow');
  expect(await turn).toBe('end_turn');
  expect([asked.signal.aborted, other.signal.aborted]).toEqual([true, false]);
  expect(one.shown).toEqual(['echo: completed', 'agent: Done.']);
});

test('P10: a call that was approved from another place runs, and the turn at the editor goes on', async () => {
  const conversation = await openLocal(scripted(echoing('hi'), { text: 'Done.' }), 'AlwaysConfirm');
  const editor = new Editor(serving(conversation, { mayApprove: false }));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  await expect.poll(() => conversation.state.pendingActions.length).toBe(1);
  await expect(editor.agent.request('session/set_mode', { sessionId, modeId: 'never-ask' })).rejects.toMatchObject({
    code: -32600,
    message: expect.stringContaining('may approve'),
  });
  await conversation.approve();
  await conversation.run();
  expect(await turn).toBe('end_turn');
  expect(editor.questions).toEqual([]);
});

test('P10: the next editor asks about a call that waits when its editor goes, and goes on with the run', async () => {
  const conversation = await openLocal(scripted(echoing('hi'), { text: 'Done.' }), 'AlwaysConfirm');
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  void editor.say(sessionId, 'Go').catch(() => 'lost');
  await editor.question();
  editor.leave();
  await editor.connection.closed;
  const next = new Editor(serving(conversation));
  await next.load(sessionId);
  expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  (await next.question()).answer('allow');
  await expect.poll(() => next.shown).toEqual(['user: Go', 'echo: completed', 'agent: Done.']);
});

test('P10: a call that was approved before its run began runs when the session is loaded', async () => {
  const conversation = await openLocal(scripted(echoing('hi'), { text: 'Done.' }), 'AlwaysConfirm');
  await conversation.sendMessage('Go');
  await conversation.run();
  await conversation.approve();
  const editor = new Editor(serving(conversation));
  await editor.load(conversation.id);
  await expect.poll(() => editor.shown).toEqual(['user: Go', 'echo: completed', 'agent: Done.']);
  expect(editor.questions).toEqual([]);
});

test('P10: a cancelled question decides nothing, and another prompt rejects what waits', async () => {
  const conversation = await openLocal(scripted(echoing('hi'), { text: 'As you like.' }), 'AlwaysConfirm');
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  const question = await editor.question();
  await editor.agent.notify('session/cancel', { sessionId });
  question.answer(undefined);
  expect(await turn).toBe('cancelled');
  expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  expect(await editor.say(sessionId, 'Do not')).toBe('end_turn');
  expect(editor.shown).toEqual(['echo: failed', 'agent: As you like.']);
  expect(editor.questions).toHaveLength(1);
});

test('P10: a question that the editor leaves without an answer ends the turn, and the call waits on', async () => {
  const conversation = await openLocal(scripted(echoing('hi')), 'AlwaysConfirm');
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  (await editor.question()).answer(undefined);
  expect(await turn).toBe('cancelled');
  expect(conversation.state.pendingActions).toHaveLength(1);
});

test('P10: modes are policies, other editors are told of a choice, and a foreign policy has a name', async () => {
  const conversation = await openLocal(scripted(echoing('hi'), { text: 'Done.' }), 'AlwaysConfirm');
  const [one, two] = [new Editor(serving(conversation)), new Editor(serving(conversation))];
  await one.initialize();
  const { sessionId, modes } = await one.agent.request('session/new', { cwd: '/', mcpServers: [] });
  expect(modes).toMatchObject({ currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask always' }, {}, {}] });
  await two.load(sessionId);
  await one.agent.request('session/set_mode', { sessionId, modeId: 'never-ask' });
  expect(conversation.state.confirmationPolicy).toEqual({ kind: 'NeverConfirm' });
  const told = { sessionUpdate: 'current_mode_update', currentModeId: 'never-ask' };
  await expect.poll(() => two.updates).toContainEqual(told);
  expect(await one.say(sessionId, 'Go')).toBe('end_turn');
  expect(one.questions).toEqual([]);
  await conversation.settings.setConfirmationPolicy({ kind: 'ConfirmRisky', threshold: 'HIGH' });
  const loaded = await two.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] });
  expect(loaded.modes).toMatchObject({
    currentModeId: 'other',
    availableModes: [{}, {}, {}, { name: 'Set elsewhere' }],
  });
});

test('a title, and the absence of a list, are told as the protocol does', async () => {
  const conversation = await openLocal(scripted());
  const editor = new Editor(serving(conversation));
  await editor.newSession();
  await conversation.settings.setTitle('A plan');
  const told = { sessionUpdate: 'session_info_update', title: 'A plan' };
  await expect.poll(() => editor.updates).toContainEqual(told);
  const listing = new Editor(
    serving(conversation, {
      list: async ({ cursor }) => ({ sessions: [{ id: conversation.id, cwd: '/' }], next: `${cursor}1` }),
    }),
  );
  await listing.initialize();
  expect(await listing.agent.request('session/list', { cursor: '0' })).toEqual({
    sessions: [{ sessionId: conversation.id, cwd: '/' }],
    nextCursor: '01',
  });
});
