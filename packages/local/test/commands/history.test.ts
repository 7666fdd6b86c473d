import { foldJournal } from '@conv/core';
import { drafts, type ActionEvent } from '@conv/core/events';
import type { ToolSession } from '@conv/core/tool';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { gate, open, play, story, texts, type Bench } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';
import { GIVEN, OTHER, VAULT } from '../support/secret-bench.ts';

const ALWAYS = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');

async function openFork({ store }: Bench, id: string): Promise<Bench> {
  const agent = new ScriptedAgent();
  return { store, agent, conversation: await open(store, { agent, id }) };
}

describe('a fork that is opened with its source', () => {
  test('P9, P10: an opened fork has the agent, analyzer, hooks and secrets of its source by itself', async () => {
    const agent = new ScriptedAgent({ think: twoCalls });
    const analyzer = new FakeAnalyzer(() => ({ risk: 'HIGH', reasons: ['always'] }));
    const hooks = new FakeHooks({});
    const store = new FaultyStore();
    const risky = { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true } as const;
    const options = { agent, hooks, secrets: GIVEN.secrets, securityAnalyzer: analyzer, confirmationPolicy: risky };
    const source = await open(store, options, VAULT);
    await source.settings.updateSecrets({ LATER: OTHER });
    await source.sendMessage('go');
    const fork = await source.fork({ title: 'the fork' });
    expect(fork.state).toMatchObject({ title: 'the fork', forkedFrom: { conversationId: source.id } });
    expect(fork.settings.missingSecrets).toEqual([]);
    expect(fork.settings.secrets.map(({ name }) => name)).toEqual(['LATER', 'TOKEN']);
    expect((await fork.run()).status).toBe('waiting_for_confirmation');
    expect(fork.state.pendingActions[0]).toMatchObject({ security_risk: 'HIGH', reasons: ['always'] });
    expect(fork.state.hookConfig).toEqual(hooks.config);
    await fork.close();
    expect((await source.run()).status).toBe('finished');
  });
});

describe('P10: a fork', () => {
  test('P10: a fork of a waiting conversation waits for the same calls and knows none of its approvals', async () => {
    const bench = await play({ think: twoCalls }, ALWAYS);
    await bench.conversation.sendMessage('go');
    await bench.conversation.run();
    await bench.conversation.approve();
    const { conversation, agent } = await openFork(bench, await bench.conversation.history.fork());
    expect(conversation.state).toMatchObject({ executionStatus: 'waiting_for_confirmation', ...ALWAYS });
    expect(conversation.state.calls).toEqual({});
    expect(agent.begun).toEqual([]);
    expect((await conversation.run()).status).toBe('finished');
    expect(Object.keys(bench.conversation.state.calls)).toHaveLength(2);
  });

  test('P10: a fork has an unknown outcome for a call that runs in its source, and waits for the next call', async () => {
    const working = gate();
    const bench = await play({ think: twoCalls, call: () => working.pass() });
    await bench.conversation.sendMessage('go');
    const running = bench.conversation.run();
    await working.reached;
    await bench.conversation.sendMessage('queued in the source');
    const { conversation, agent } = await openFork(bench, await bench.conversation.history.fork());
    expect(await story(conversation, 2)).toBe('action action error');
    expect(await conversation.events.at(4)).toMatchObject({
      error: expect.stringContaining('outcome is unknown') as string,
    });
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect(conversation.state.queue).toEqual([]);
    await conversation.run();
    expect(agent.begun).toHaveLength(1);
    expect(agent.begun).not.toEqual(bench.agent.begun.slice(0, 1));
    working.open();
    expect((await running).status).toBe('finished');
  });

  test('P10: a fork from a call waits for it, even if the source has its result', async () => {
    const bench = await play({ think: twoCalls });
    await bench.conversation.sendMessage('go');
    await bench.conversation.run();
    const from = (await bench.conversation.events.idAt(3)) ?? '';
    const { conversation, agent } = await openFork(bench, await bench.conversation.history.fork({ from }));
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect([conversation.state.pendingActions.length, agent.begun.length]).toEqual([2, 0]);
  });

  test('P10: a fork from a call that runs in its source has an unknown outcome for that call', async () => {
    const working = gate();
    const bench = await play({ think: () => ['work'], call: () => working.pass() });
    await bench.conversation.sendMessage('go');
    void bench.conversation.run();
    await working.reached;
    const from = (await bench.conversation.events.idAt(2)) ?? '';
    const { conversation } = await openFork(bench, await bench.conversation.history.fork({ from }));
    expect(await story(conversation, 2)).toBe('action error');
    await bench.conversation.close();
  });

  test('P10: a fork takes settings over, has a title and tags of its own, and starts to count anew', async () => {
    const bench = await play({}, { ...ALWAYS, maxIterations: 7, tags: { team: 'a' }, title: 'source' });
    const { history } = bench.conversation;
    await bench.conversation.sendMessage('go');
    await bench.conversation.run();
    const plain = await openFork(bench, await history.fork({ resetMetrics: false }));
    expect(plain.conversation.state).toMatchObject({
      ...ALWAYS,
      maxIterations: 7,
      tags: {},
      title: null,
    });
    expect(plain.conversation.state.metrics.llmCallCount).toBe(1);
    const named = await openFork(bench, await history.fork({ title: 'named', tags: { b: '2' } }));
    expect(named.conversation.state).toMatchObject({ tags: { b: '2', title: 'named' }, title: 'named' });
    expect(named.conversation.state.stats).toEqual({});
    expect(named.conversation.state.forkedFrom).toEqual({ conversationId: bench.conversation.id, eventId: null });
  });

  test('P13: a fork with a used id, an unknown event or wrong tags is refused and makes nothing', async () => {
    const { conversation, store } = await play();
    const { history, id } = conversation;
    await expect(history.fork({ id })).rejects.toMatchObject({ code: 'EXISTS' });
    await expect(history.fork({ id: '../x' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(history.fork({ from: 'nope' })).rejects.toMatchObject({ code: 'UNKNOWN_EVENT' });
    await expect(history.fork({ tags: { A: 'b' } })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(history.fork({ title: 'x'.repeat(300) })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await store.list()).items).toHaveLength(1);
  });

  test('P10: no run begins while a fork is made, so that no call of the fork starts in the source', async () => {
    const copying = gate();
    const bench = await play({ think: twoCalls }, ALWAYS);
    await bench.conversation.sendMessage('go');
    await bench.conversation.run();
    bench.store.onFork = copying.pass;
    const forked = bench.conversation.history.fork();
    await copying.reached;
    const running = bench.conversation.run();
    await bench.conversation.settings.setTitle('not kept waiting');
    // in memory a run needs only microtasks, so a run that did not wait would be over
    await new Promise((resolve) => setImmediate(resolve));
    expect([bench.conversation.state.executionStatus, bench.agent.begun]).toEqual(['waiting_for_confirmation', []]);
    copying.open();
    const { conversation } = await openFork(bench, await forked);
    expect((await running).status).toBe('finished');
    expect(conversation.state.pendingActions).toHaveLength(2);
    expect(await story(conversation, 2)).toBe('action action');
  });
});

describe('going back', () => {
  test('going back to a message makes the conversation idle, and a run answers it on a new branch', async () => {
    const { conversation } = await play({ think: ({ number }) => `answer ${number}` });
    await conversation.sendMessage('one');
    await conversation.run();
    await conversation.sendMessage('two');
    await conversation.run();
    await conversation.history.navigateTo((await conversation.events.idAt(1)) ?? '');
    expect(conversation.state.executionStatus).toBe('idle');
    expect((await conversation.run()).status).toBe('finished');
    expect(await texts(conversation)).toEqual(['one', 'answer 1', 'two', 'answer 2', 'answer 3']);
    expect(await conversation.events.leaves()).toHaveLength(2);
    expect(await conversation.finalResponse()).toBe('answer 3');
  });

  test('going back to an answer is finished, and a run asks nothing', async () => {
    const { conversation, agent } = await play({ think: ({ number }) => (number === 1 ? ['finish'] : 'done') });
    await conversation.sendMessage('one');
    await conversation.run();
    await conversation.sendMessage('two');
    await conversation.run();
    for (const at of [3, 5]) {
      await conversation.history.navigateTo((await conversation.events.idAt(at)) ?? '');
      expect(conversation.state.executionStatus).toBe('finished');
      expect(await conversation.run()).toEqual({ status: 'finished', iterations: 0 });
    }
    expect(agent.requests).toBe(2);
  });

  test('a move to a call without its result waits for a person, and a move away from it does not', async () => {
    const { conversation, agent } = await play({ think: twoCalls });
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.history.navigateTo((await conversation.events.idAt(2)) ?? '');
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    await conversation.history.navigateTo((await conversation.events.idAt(1)) ?? '');
    expect([conversation.state.executionStatus, conversation.state.pendingActions]).toEqual(['idle', []]);
    expect(agent.begun).toHaveLength(2);
  });

  test('going back to the start lets a run ask nothing, and a message begins a tree with its own prompt', async () => {
    const { conversation, agent } = await play();
    await conversation.sendMessage('one');
    await conversation.run();
    await conversation.history.navigateTo(null);
    expect(conversation.state).toMatchObject({ leafEventId: null, headIsEmpty: true });
    expect((await conversation.run()).iterations).toBe(0);
    await conversation.sendMessage('two');
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.requests).toBe(2);
    const branch = await conversation.events.branch();
    expect(branch.map(({ kind }) => kind)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
  });

  test('a message that is on its way during a move of HEAD gets a prompt where it lands', async () => {
    const { conversation } = await play();
    await conversation.sendMessage('one');
    const moved = conversation.history.navigateTo(null);
    await Promise.all([moved, conversation.sendMessage('two')]);
    const branch = await conversation.events.branch();
    expect(branch[0]?.kind).toBe('SystemPromptEvent');
    expect(branch.filter(({ kind }) => kind === 'SystemPromptEvent')).toHaveLength(1);
  });

  test('P6: going back leaves the state that a fold of the log gives', async () => {
    const { conversation, store } = await play({ think: twoCalls });
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.history.navigateTo((await conversation.events.idAt(2)) ?? '');
    const reader = await store.read(conversation.id);
    expect(reader && (await foldJournal(reader)).fields).toEqual(conversation.state.fields);
    const states: string[] = [];
    for await (const { state } of conversation.history.replay()) states.push(state.executionStatus);
    expect(states.at(-1)).toBe('waiting_for_confirmation');
    expect(states).toContain('finished');
  });

  test('P13: going back to an unknown event rejects UNKNOWN_EVENT, and during a run BUSY', async () => {
    const working = gate();
    const { conversation } = await play({ think: twoCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    await expect(conversation.history.navigateTo('nope')).rejects.toMatchObject({ code: 'UNKNOWN_EVENT' });
    const running = conversation.run();
    await working.reached;
    await expect(conversation.history.navigateTo(null)).rejects.toMatchObject({ code: 'BUSY' });
    working.open();
    await running;
  });
});

test('P6: tools are told the task list of the live branch', async () => {
  const sessions: ToolSession[] = [];
  const agent = new ScriptedAgent({ onStart: (session) => void sessions.push(session) });
  const { conversation } = await play({}, { agent });
  await conversation.sendMessage('go');
  const [before] = await conversation.events.slice(-1);
  const call = drafts.action({
    action: { command: 'plan', task_list: [], kind: 'TaskTrackerAction' },
    tool_name: 'task_tracker',
    tool_call_id: 'c',
    tool_call: { id: 'c', name: 'task_tracker', arguments: '{}', origin: 'completion' },
    llm_response_id: 'r',
  });
  const task = { title: 'one', notes: '', status: 'todo' as const };
  await conversation.state.transaction(async (transaction) => {
    const [stored] = await transaction.append(call);
    const content = {
      command: 'plan',
      task_list: [task],
      content: [],
      is_error: false,
      kind: 'TaskTrackerObservation',
    };
    await transaction.append(drafts.observation(stored as ActionEvent, content as never));
  });
  expect(sessions[0]?.taskList?.()).toEqual([task]);
  await conversation.history.navigateTo(before?.id ?? null);
  expect(sessions[0]?.taskList?.()).toEqual([]);
});
