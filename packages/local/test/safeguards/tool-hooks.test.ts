import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story, texts, type Bench } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const ALWAYS = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
const no = { blocked: true, reason: 'not this' };
const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');

async function begun(hooks: FakeHooks, options: object = {}, think = twoCalls): Promise<Bench> {
  const bench = await play({ think }, { hooks, ...options });
  await bench.conversation.sendMessage('go');
  return bench;
}

describe('the hooks before a call', () => {
  test('hooks before a call are told the tool, its input and the action, and their answer is kept', async () => {
    const hooks = new FakeHooks({ PreToolUse: () => ({}) });
    const { conversation, agent } = await begun(hooks);
    expect((await conversation.run()).status).toBe('finished');
    const actions = (await conversation.events.slice()).filter((event) => isEvent(event, 'ActionEvent'));
    expect(hooks.told).toEqual(
      actions.map(({ id, action }) => ({ type: 'PreToolUse', toolName: 'work', toolInput: action, actionId: id })),
    );
    expect(agent.begun).toHaveLength(2);
    expect(await story(conversation, 2)).toBe('action action hook result hook result agent');
    const commits = await Array.fromAsync(conversation.history.commits());
    const starts = commits.filter(({ patch }) => Object.values(patch?.add?.calls ?? {}).includes('started'));
    expect(starts.map(({ events }) => events.map(({ kind }) => kind))).toEqual([
      ['HookExecutionEvent'],
      ['HookExecutionEvent'],
    ]);
  });

  test('hooks that block a call keep the tool from starting, and the model reads why in the same commit', async () => {
    let asked = 0;
    const hooks = new FakeHooks({ PreToolUse: () => (++asked === 1 ? no : {}) });
    const { conversation, agent } = await begun(hooks);
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
    expect(await story(conversation, 2)).toBe('action action hook reject hook result agent');
    const reject = await conversation.events.at(5);
    expect(reject).toMatchObject({ rejection_reason: 'not this', rejection_source: 'hook' });
    const commits = await Array.fromAsync(conversation.history.commits());
    const [blocking] = commits.filter(({ events }) => events.some(({ kind }) => kind === 'UserRejectObservation'));
    expect(blocking?.events.map(({ kind }) => kind)).toEqual(['HookExecutionEvent', 'UserRejectObservation']);
  });

  test('hooks that block a finish call keep the run from ending with it', async () => {
    const hooks = new FakeHooks({ PreToolUse: ({ toolName }) => (toolName === 'finish' ? no : {}) });
    const { conversation, agent } = await begun(hooks, {}, ({ number }) => (number === 1 ? ['finish'] : 'done'));
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 2 });
    expect(await story(conversation, 2)).toBe('action hook reject agent');
    expect(agent.begun).toEqual([]);
  });

  test('P10: hooks are asked only about calls that may run, not about calls that wait for a person', async () => {
    const hooks = new FakeHooks({ PreToolUse: () => ({}) });
    const { conversation } = await begun(hooks, ALWAYS);
    await conversation.run();
    expect(hooks.told).toEqual([]);
    const [first] = conversation.state.pendingActions;
    await conversation.approve([first?.id ?? '']);
    await conversation.run();
    expect(hooks.told.map(({ actionId }) => actionId)).toEqual([first?.id]);
  });

  test.each<[string, (bench: Bench) => Promise<unknown>, string]>([
    ['rejected', ({ conversation }) => conversation.reject(), 'finished'],
    [
      'taken back',
      ({ conversation }) => conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' }),
      'waiting_for_confirmation',
    ],
  ])('P10: a call that is %s while hooks are asked does not start', async (_, act, status) => {
    const asked = gate();
    const bench = await begun(new FakeHooks({ PreToolUse: () => asked.pass().then(() => ({})) }));
    const running = bench.conversation.run();
    await asked.reached;
    await act(bench);
    asked.open();
    expect((await running).status).toBe(status);
    expect(bench.agent.begun).toEqual([]);
  });

  test('P7: an interrupt cancels hooks before a call that do not listen, and every call has its result', async () => {
    const asked = gate();
    const { conversation, agent } = await begun(new FakeHooks({ PreToolUse: () => asked.pass().then(never) }));
    const running = conversation.run();
    await asked.reached;
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
    expect(await story(conversation, 4)).toBe('error error interrupt');
    expect((await conversation.events.at(4)) as { error?: string }).toMatchObject({
      error: expect.stringContaining('before it started') as string,
    });
    expect(agent.begun).toEqual([]);
  });

  test('P5: a call whose hooks ran when the process died waits for a person, and the hooks are asked again', async () => {
    const asked = gate();
    const { conversation, store } = await begun(new FakeHooks({ PreToolUse: () => asked.pass().then(never) }));
    void conversation.run();
    await asked.reached;
    const id = '99999999-9999-4999-8999-999999999999';
    await store.fork(conversation.id, id, { patch: { set: { id } } });
    const agent = new ScriptedAgent();
    const hooks = new FakeHooks({ PreToolUse: () => no });
    const again = await open(store, { id, agent, hooks });
    expect(again.state).toMatchObject({ executionStatus: 'waiting_for_confirmation', pendingActions: [{}, {}] });
    expect((await again.run()).status).toBe('finished');
    expect(agent.begun).toEqual([]);
    expect(hooks.told).toHaveLength(2);
  });

  test('a failure of the hooks themselves fails the run, and the call does not start', async () => {
    const { conversation, agent } = await begun(
      new FakeHooks({ PreToolUse: () => Promise.reject(new Error('broken')) }),
    );
    await expect(conversation.run()).rejects.toMatchObject({ code: 'RUN_FAILED' });
    expect(agent.begun).toEqual([]);
    expect(conversation.state.pendingActions).toHaveLength(2);
  });
});

describe('the hooks after a call', () => {
  test('hooks after a call are told the kept result, and what they add comes behind the batch', async () => {
    const lengths: number[] = [];
    const hooks: FakeHooks = new FakeHooks({
      PostToolUse: () => {
        lengths.push(bench.conversation.events.length);
        return { additionalContext: `formatted ${lengths.length}` };
      },
    });
    const bench = await begun(hooks);
    expect((await bench.conversation.run()).status).toBe('finished');
    expect(lengths).toEqual([5, 8]);
    expect(hooks.told[0]).toMatchObject({ toolName: 'work', toolResponse: { content: [{ text: 'ok' }] } });
    expect(await story(bench.conversation, 2)).toBe(
      'action action result hook result environment hook environment agent',
    );
    expect((await texts(bench.conversation)).slice(1)).toEqual(['formatted 1', 'formatted 2', 'done']);
    expect(bench.conversation.state.queue).toEqual([]);
  });

  test('P10: messages of hooks are not the user’s, so calls that wait for a person still wait', async () => {
    const hooks = new FakeHooks({ PostToolUse: () => ({ additionalContext: 'formatted' }) });
    const { conversation, agent } = await begun(hooks, ALWAYS);
    await conversation.run();
    await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(conversation.state).toMatchObject({ pendingActions: [{}], queue: [{}] });
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(2);
  });

  test('P7: hooks after a call that an interrupt cancels leave the result that there is', async () => {
    const told = gate();
    const { conversation } = await begun(new FakeHooks({ PostToolUse: () => told.pass().then(never) }));
    const running = conversation.run();
    await told.reached;
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
    expect(await story(conversation, 4)).toBe('result error interrupt');
  });
});

describe('records of blocked actions by another program', () => {
  test("another program's record of a blocked action rejects it when it is open, and is then forgotten", async () => {
    const { conversation, agent, store } = await begun(new FakeHooks({}), ALWAYS);
    await conversation.run();
    const [first, second] = conversation.state.pendingActions;
    await conversation.state.update({ set: { blockedActions: { [first?.id ?? '']: 'forbidden', gone: 'long ago' } } });
    const { id } = conversation;
    await conversation.close();
    const again = await open(store, { id, agent });
    expect(again.state.blockedActions).toEqual({});
    expect(again.state.pendingActions.map((action) => action.id)).toEqual([second?.id]);
    expect(await again.events.at(-1)).toMatchObject({ rejection_reason: 'forbidden', rejection_source: 'hook' });
    await again.run();
    expect(agent.begun).toEqual([second?.tool_call_id]);
  });
});
