import { StoreError } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { gate, open, play, story, texts } from '../support/bench.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const ALWAYS = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'understood');

test('a queued message stays on its branch when HEAD is moved', async () => {
  const working = gate();
  const { conversation, store } = await play({ think: twoCalls, call: () => working.pass() });
  await conversation.sendMessage('go');
  const running = conversation.run();
  await working.reached;
  await conversation.sendMessage('and then?');
  let refused = false;
  store.onAppend = () => {
    if (refused) return;
    refused = true;
    throw new StoreError('UNAVAILABLE', 'once');
  };
  working.open();
  await expect(running).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(conversation.state).toMatchObject({ executionStatus: 'error', queue: [{}], pendingActions: [{}] });
  await conversation.history.navigateTo(null);
  expect(await story(conversation, 4)).toBe('error failure reject user');
  expect(await conversation.run()).toEqual({ status: 'idle', iterations: 0 });
  expect(conversation.state.queue).toEqual([]);
});

describe('P10: a message that came while an approved call ran', () => {
  test('P10: a message during an approved call rejects unapproved calls, and the same run answers it', async () => {
    const working = gate();
    const { conversation, agent } = await play({ think: twoCalls, call: () => working.pass() }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const [first, second] = conversation.state.pendingActions;
    await conversation.approve([first?.id ?? '']);
    const running = conversation.run();
    await working.reached;
    expect(await conversation.sendMessage('do not run the other')).toMatchObject({ queued: true });
    working.open();
    expect((await running).status).toBe('finished');
    expect(agent.begun).toEqual([first?.tool_call_id]);
    expect(await story(conversation, 4)).toBe('result reject user agent');
    expect(await conversation.events.at(5)).toMatchObject({ action_id: second?.id });
    expect(conversation.state.queue).toEqual([]);
  });

  test('P10: a queued message approves nothing after its process died: run rejects waiting calls and answers', async () => {
    const working = gate();
    const { conversation, store } = await play({ think: twoCalls, call: () => working.pass() }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
    void conversation.run();
    await working.reached;
    await conversation.sendMessage('do not run the other');
    // a copy of what is stored is what a new process finds
    const id = '99999999-9999-4999-8999-999999999999';
    await store.fork(conversation.id, id, { patch: { set: { id } } });
    const agent = new ScriptedAgent();
    const again = await open(store, { agent, id });
    expect(again.state).toMatchObject({ executionStatus: 'waiting_for_confirmation', queue: [{}] });
    expect((await again.run()).status).toBe('finished');
    expect(agent.begun).toEqual([]);
    expect(await texts(again)).toEqual(['go', 'do not run the other', 'done']);
    await conversation.close();
  });
});
