import type { SecurityAnalyzerDescription } from '@conv/core';
import { describe, expect, test } from 'vitest';

import { gate, open, play, story } from '../support/bench.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const ALWAYS = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
const threeCalls = ({ number }: Request): string | readonly string[] =>
  number === 1 ? ['work', 'work', 'work'] : 'done';

describe('P10: approving', () => {
  test('P10: approving some calls lets a run execute exactly those, and it ends waiting for the others', async () => {
    const { conversation, agent } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const [first, second, third] = conversation.state.pendingActions;
    await conversation.approve([second?.id ?? '']);
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect(await conversation.run()).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
    expect(agent.begun).toEqual([second?.tool_call_id]);
    expect(conversation.state.pendingActions.map(({ id }) => id)).toEqual([first?.id, third?.id]);
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toEqual([second?.tool_call_id, first?.tool_call_id, third?.tool_call_id]);
    expect(agent.requests).toBe(2);
  });

  test('P10: a run approves nothing: it does not begin while calls wait, and begins once they are decided', async () => {
    const { conversation, agent } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const waits = { status: 'waiting_for_confirmation', iterations: 0 };
    expect(await conversation.run({ approves: false })).toEqual(waits);
    expect([agent.begun, conversation.state.pendingActions.length]).toEqual([[], 3]);
    const [first] = conversation.state.pendingActions;
    await conversation.approve([first?.id ?? '']);
    expect(await conversation.run({ approves: false })).toEqual(waits);
    expect(agent.begun).toEqual([first?.tool_call_id]);
    await conversation.sendMessage('do without');
    expect((await conversation.run({ approves: false })).status).toBe('finished');
    expect(agent.begun).toEqual([first?.tool_call_id]);
  });

  test('P10: approving survives a restart: exactly the approved call runs', async () => {
    const { conversation, store } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const [first] = conversation.state.pendingActions;
    await conversation.approve([first?.id ?? '']);
    await conversation.close();
    const agent = new ScriptedAgent();
    const again = await open(store, { agent, id: conversation.id });
    expect((await again.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([first?.tool_call_id]);
  });

  test('P10: approving survives a run that fails: the next run executes exactly what was approved', async () => {
    const { conversation, store } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const [first] = conversation.state.pendingActions;
    await conversation.close();
    let away = true;
    const agent = new ScriptedAgent({
      start: () => {
        if (away) throw new Error('its tools are away');
      },
    });
    const again = await open(store, { agent, id: conversation.id });
    await again.approve([first?.id ?? '']);
    await expect(again.run()).rejects.toThrow('RUN_FAILED');
    expect(again.state.executionStatus).toBe('error');
    away = false;
    expect((await again.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([first?.tool_call_id]);
  });

  test('P10: approving a call that runs rejects UNKNOWN_ACTION, and its start stays on record', async () => {
    const working = gate();
    const { conversation } = await play({ think: threeCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    const [started] = conversation.state.pendingActions;
    const id = started?.id ?? '';
    await conversation.approve();
    expect(conversation.state.calls[id]).toBe('started');
    await expect(conversation.approve([id])).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
    await expect(conversation.approve(id as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(conversation.reject(null as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(conversation.reject([id])).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
    working.open();
    expect((await running).status).toBe('finished');
  });

  test('rejecting during a run takes back the calls that have not started', async () => {
    const working = gate();
    const { conversation, agent } = await play({ think: threeCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.reject();
    working.open();
    expect((await running).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
    expect(await story(conversation, 2)).toBe('action action action reject reject result agent');
  });

  test('rejecting the same call twice in one go gives it one result', async () => {
    const { conversation } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const id = conversation.state.pendingActions[0]?.id ?? '';
    await conversation.reject([id, id]);
    expect(await story(conversation, 5)).toBe('reject');
  });

  test('a message outside of a run supersedes approved calls too', async () => {
    const { conversation, agent } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
    expect(await conversation.sendMessage('wait')).toMatchObject({ queued: false });
    expect(await story(conversation, 5)).toBe('reject reject reject user');
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toEqual([]);
  });
});

describe('P10: the policy', () => {
  test('P10: a policy that is set while calls wait executes and drops nothing', async () => {
    const { conversation, agent } = await play({ think: threeCalls }, ALWAYS);
    await conversation.sendMessage('go');
    await conversation.run();
    const events = conversation.events.length;
    await conversation.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect([conversation.events.length, conversation.state.pendingActions.length, agent.begun.length]).toEqual([
      events,
      3,
      0,
    ]);
    expect((await conversation.run()).status).toBe('finished');
  });

  test('P10: a policy that is set while the model is asked holds its answer back', async () => {
    const asked = gate();
    const { conversation, agent } = await play({
      think: async () => {
        await asked.pass();
        return ['work'];
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    asked.open();
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test('P10: the policy asks for a foreign tool that is named think', async () => {
    const { conversation, agent } = await play({ think: () => ['think'] }, ALWAYS);
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test('P10: the policy never asks for a finish call alone, but for one among others', async () => {
    const alone = await play({ think: () => ['finish'] }, ALWAYS);
    await alone.conversation.sendMessage('go');
    expect((await alone.conversation.run()).status).toBe('finished');
    const among = await play({ think: () => ['work', 'finish'] }, ALWAYS);
    await among.conversation.sendMessage('go');
    expect((await among.conversation.run()).status).toBe('waiting_for_confirmation');
    expect((await among.conversation.run()).status).toBe('finished');
  });

  test.each<[SecurityAnalyzerDescription | null, string]>([
    [null, 'finished'],
    [{ kind: 'LLMSecurityAnalyzer' }, 'finished'],
    [{ kind: 'SomeAnalyzerOfOthers' as 'LLMSecurityAnalyzer' }, 'waiting_for_confirmation'],
  ])(
    'P10: ConfirmRisky that lets unknown risks pass ends with the analyzer %j as %s',
    async (securityAnalyzer, status) => {
      const { conversation } = await play(
        { think: ({ number }) => (number === 1 ? ['work'] : 'done') },
        { confirmationPolicy: { kind: 'ConfirmRisky', confirm_unknown: false }, securityAnalyzer },
      );
      await conversation.sendMessage('go');
      expect((await conversation.run()).status).toBe(status);
    },
  );
});
