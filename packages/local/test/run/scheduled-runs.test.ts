import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { gate, open, play, story } from '../support/bench.ts';
import { adopt } from '../support/dying.ts';
import { stored } from '../support/family.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

describe('a scheduled run', () => {
  test('P1: a scheduled run is on record before it begins, and run begins it', async () => {
    const { conversation, store, agent } = await play();
    await conversation.sendMessage('go');
    expect(await conversation.scheduleRun()).toBe(true);
    expect((await stored(store, conversation.id)).executionStatus).toBe('running');
    expect([conversation.interruptedRun, agent.requests]).toEqual([true, 0]);
    expect(await conversation.scheduleRun()).toBe(true);
    expect(await conversation.run({ maxIterations: 1 })).toEqual({ status: 'finished', iterations: 1 });
    expect([conversation.interruptedRun, await story(conversation)]).toEqual([false, 'system user agent']);
  });

  test('P4: a scheduled run is resumed when its process ended before it began', async () => {
    const store = new KillableStore();
    const first = await open(store, { agent: new ScriptedAgent() });
    await first.sendMessage('go');
    await first.scheduleRun();
    await store.kill();
    const { conversation } = await adopt(store, first.id);
    expect(conversation.interruptedRun).toBe(true);
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect(await story(conversation)).toBe('system user agent');
  });

  test('a scheduled run has the limit that it was scheduled with, whichever process resumes it', async () => {
    const store = new KillableStore();
    const first = await open(store, { agent: new ScriptedAgent() });
    await first.sendMessage('go');
    await expect(first.scheduleRun({ maxIterations: 0 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await first.scheduleRun({ maxIterations: 2 });
    await store.kill();
    const { conversation, agent } = await adopt(store, first.id, { think: () => ['work'] });
    expect(await conversation.resumeRun()).toMatchObject({ status: 'error', iterations: 2 });
    expect(agent.requests).toBe(2);
  });

  test('a run that was scheduled by an ended process is settled, unless it is to be resumed', async () => {
    const store = new KillableStore();
    const first = await open(store, { agent: new ScriptedAgent() });
    await first.sendMessage('go');
    await first.scheduleRun();
    await store.kill();
    const { conversation } = await adopt(store, first.id, {}, { interruptedRun: 'pause' });
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual(['paused', false]);
  });

  test.each(['cancelScheduledRun', 'pause', 'interrupt'] as const)(
    'a scheduled run comes to rest by %s, and can be run',
    async (command) => {
      const { conversation } = await play();
      await conversation.sendMessage('go');
      await conversation.scheduleRun();
      await conversation[command]();
      expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual(['paused', false]);
      expect(await story(conversation)).toBe('system user pause');
      expect((await conversation.run()).status).toBe('finished');
    },
  );

  test('cancelling without a scheduled run changes nothing', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      think: async () => {
        await asked.pass();
        return 'done';
      },
    });
    await conversation.sendMessage('go');
    const { appends } = store;
    await conversation.cancelScheduledRun();
    expect([store.appends, conversation.state.executionStatus]).toEqual([appends, 'idle']);
    const running = conversation.run();
    await asked.reached;
    await conversation.cancelScheduledRun();
    expect(conversation.state.executionStatus).toBe('running');
    asked.open();
    expect((await running).status).toBe('finished');
  });

  test('a scheduled run takes messages before it begins, and answers them', async () => {
    const { conversation } = await play();
    await conversation.sendMessage('go');
    await conversation.scheduleRun();
    expect(await conversation.sendMessage('and this')).toMatchObject({ queued: false });
    expect((await conversation.run()).status).toBe('finished');
    expect(await story(conversation, 1)).toBe('user user agent');
  });

  test.each(['paused', 'error'] as const)('a run can be scheduled where the conversation is %s', async (status) => {
    const { conversation } = await play({
      think: ({ number }) => {
        if (number === 1 && status === 'error') throw new Error('the model is away');
        return 'done';
      },
    });
    await conversation.sendMessage('go');
    if (status === 'error') await conversation.run().catch(() => {});
    else await conversation.pause();
    expect(conversation.state.executionStatus).toBe(status);
    expect(await conversation.scheduleRun()).toBe(true);
    expect(conversation.state.executionStatus).toBe('running');
    expect((await conversation.run()).status).toBe('finished');
  });

  test('scheduleRun schedules nothing before the first message and when nothing is to be answered', async () => {
    const { conversation, store } = await play();
    expect(await conversation.scheduleRun()).toBe(false);
    await conversation.sendMessage('go');
    await conversation.run();
    const { appends } = store;
    expect(await conversation.scheduleRun()).toBe(false);
    expect([store.appends, conversation.state.executionStatus]).toEqual([appends, 'finished']);
  });

  test('P10: scheduleRun schedules nothing while calls wait for a person, so that it approves nothing', async () => {
    const { conversation, agent } = await play(
      { think: ({ number }) => (number === 1 ? ['work'] : 'done') },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.sendMessage('go');
    await conversation.run();
    expect(await conversation.scheduleRun()).toBe(false);
    expect([conversation.state.executionStatus, agent.begun]).toEqual(['waiting_for_confirmation', []]);
  });

  test('P10: a scheduled run executes what was approved before an error, and leaves the rest to the person', async () => {
    const { conversation, agent } = await play(
      { think: ({ number }) => (number === 1 ? ['work', 'work'] : 'done') },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.sendMessage('go');
    await conversation.run();
    const [first, second] = conversation.state.pendingActions;
    await conversation.approve([first?.id ?? '']);
    await conversation.state.append([{ kind: 'ConversationErrorEvent', source: 'environment', code: 'E', detail: '' }]);
    expect(conversation.state.executionStatus).toBe('error');
    expect(await conversation.scheduleRun()).toBe(true);
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([first?.tool_call_id]);
    expect(conversation.state.pendingActions.map(({ id }) => id)).toEqual([second?.id]);
  });

  test('scheduleRun rejects BUSY during a run, and CLOSED after the end', async () => {
    const { conversation } = await play();
    await conversation.sendMessage('go');
    const running = conversation.run();
    await expect(conversation.scheduleRun()).rejects.toMatchObject({ code: 'BUSY' });
    await running;
    await conversation.close();
    await expect(conversation.scheduleRun()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(conversation.cancelScheduledRun()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
