import type { GoalOutcome } from '@conv/core';
import type { GoalVerdict } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { gate, never, play, story, texts } from '../support/bench.ts';
import { judging, missing, reached } from '../support/judging.ts';
import type { Script } from '../support/scripted-agent.ts';

describe('interruptions', () => {
  /** A goal whose judge is being asked, by a judge that ignores its signal. */
  async function atJudge(script: Script = {}): Promise<{
    readonly bench: Awaited<ReturnType<typeof play>>;
    readonly pursued: Promise<GoalOutcome>;
  }> {
    const asked = Promise.withResolvers<void>();
    const bench = await play({
      judge: ({ number }) => {
        asked.resolve();
        return number === 1 ? never() : reached;
      },
      ...script,
    });
    const pursued = bench.conversation.goal.pursue('Ship it.');
    await asked.promise;
    return { bench, pursued };
  }

  test.each(['stop', 'pause', 'interrupt', 'message'] as const)(
    'P7: %s ends the question to the judge as interrupted, and resuming asks the judge again',
    async (way) => {
      const { bench, pursued } = await atJudge();
      const { conversation, agent } = bench;
      if (way === 'stop') await conversation.goal.stop();
      else if (way === 'message') await conversation.sendMessage('Wait.');
      else await conversation[way]();
      expect(conversation.goal.status).toMatchObject({ active: false, status: 'interrupted', iteration: 0 });
      expect(await pursued).toEqual({ status: 'interrupted', rounds: 0 });
      expect(agent.requests).toBe(1);
      expect(await conversation.goal.resume()).toEqual({ status: 'complete', rounds: 1, verdict: reached });
      expect(agent.requests).toBe(way === 'message' ? 2 : 1);
    },
  );

  /** A goal whose agent is thinking in its second round. */
  async function atWork(): Promise<{
    readonly bench: Awaited<ReturnType<typeof play>>;
    readonly pursued: Promise<GoalOutcome>;
    readonly goOn: () => void;
  }> {
    const thinking = gate();
    const bench = await play({
      judge: judging(missing('the tests')),
      think: async ({ number }) => {
        if (number === 2) await thinking.pass();
        return `answer ${number}`;
      },
    });
    const pursued = bench.conversation.goal.pursue('Ship it.');
    await thinking.reached;
    return { bench, pursued, goOn: thinking.open };
  }

  test.each(['stop', 'pause'] as const)('%s lets the step end, judges nothing, and resuming counts on', async (way) => {
    const { bench, pursued, goOn } = await atWork();
    const { conversation, agent } = bench;
    await (way === 'stop' ? conversation.goal.stop() : conversation.pause());
    expect(conversation.goal.status).toMatchObject({ status: 'interrupted', iteration: 1 });
    goOn();
    expect(await pursued).toEqual({ status: 'interrupted', rounds: 1, verdict: missing('the tests') });
    expect(agent.rounds).toBe(1);
    expect(await conversation.goal.resume()).toMatchObject({ status: 'complete', rounds: 2 });
  });

  test('P7: interrupt ends the run and the goal; resuming runs on from there', async () => {
    const { bench, pursued } = await atWork();
    const { conversation, agent } = bench;
    await conversation.interrupt();
    expect([conversation.state.executionStatus, conversation.goal.status?.status]).toEqual(['paused', 'interrupted']);
    expect(await pursued).toMatchObject({ status: 'interrupted', rounds: 1 });
    expect(await conversation.goal.resume()).toMatchObject({ status: 'complete', rounds: 2 });
    expect(agent.requests).toBe(3);
  });

  test('an aborted signal ends the run and the goal, and resuming runs on from there', async () => {
    const asked = Promise.withResolvers<void>();
    const { conversation } = await play({
      judge: () => {
        asked.resolve();
        return never();
      },
    });
    const controller = new AbortController();
    const pursued = conversation.goal.pursue('Ship it.', { signal: controller.signal });
    await asked.promise;
    controller.abort();
    expect(await pursued).toEqual({ status: 'interrupted', rounds: 0 });
    expect(conversation.goal.status?.status).toBe('interrupted');
    const before = await conversation.goal.pursue('Never sent.', { signal: AbortSignal.abort() });
    expect(before).toEqual({ status: 'interrupted', rounds: 0 });
    expect(await texts(conversation)).toEqual(['Ship it.', 'done']);
  });

  test('a message of the user during a run is answered by that run, and the goal waits', async () => {
    const { bench, pursued, goOn } = await atWork();
    const { conversation, agent } = bench;
    await conversation.sendMessage('And a picture.');
    goOn();
    expect(await pursued).toMatchObject({ status: 'interrupted', rounds: 1 });
    expect([conversation.state.executionStatus, agent.requests, agent.rounds]).toEqual(['finished', 3, 1]);
  });

  test('P10: waiting calls interrupt a goal; resuming approves nothing and executes what was approved', async () => {
    const { conversation, agent } = await play(
      { judge: () => reached, think: ({ number }) => (number === 1 ? ['work'] : 'done') },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    expect(await conversation.goal.pursue('Ship it.')).toEqual({ status: 'interrupted', rounds: 0 });
    expect(await conversation.goal.resume()).toEqual({ status: 'interrupted', rounds: 0 });
    expect([conversation.state.executionStatus, agent.begun.length]).toEqual(['waiting_for_confirmation', 0]);
    await conversation.approve();
    expect(await conversation.goal.resume()).toMatchObject({ status: 'complete', rounds: 1 });
    expect(agent.begun).toHaveLength(1);
  });

  test('P10: resuming approves no call of a branch because one of another branch is approved', async () => {
    const { conversation, agent } = await play(
      { judge: () => reached, think: () => ['work'] },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.goal.pursue('Ship it.');
    const [waiting] = conversation.state.pendingActions;
    await conversation.history.navigateTo((await conversation.events.idAt(1)) ?? '');
    await conversation.run();
    await conversation.approve(conversation.state.pendingActions.map(({ id }) => id));
    await conversation.history.navigateTo(waiting?.id ?? '');
    expect(await conversation.goal.resume()).toEqual({ status: 'interrupted', rounds: 0 });
    expect([conversation.state.executionStatus, agent.begun.length]).toEqual(['waiting_for_confirmation', 0]);
  });

  test('a run that fails interrupts the goal with its error, and a round is not counted', async () => {
    const { conversation } = await play({
      judge: () => reached,
      think: ({ number }) => {
        if (number === 1) throw new Error('the model is away');
        return 'done';
      },
    });
    const outcome = await conversation.goal.pursue('Ship it.');
    expect(outcome).toMatchObject({ status: 'interrupted', rounds: 0, error: { code: 'RUN_FAILED' } });
    expect(outcome.error?.message).toContain('the model is away');
    expect(await conversation.goal.resume()).toMatchObject({ status: 'complete', rounds: 1 });
  });

  test.each([
    ['throws', () => Promise.reject(new Error('the judge is away'))],
    ['rates beyond the scale', () => ({ score: 7, complete: true })],
    ['says nothing of completeness', () => ({ score: 1 }) as GoalVerdict],
  ])('a judge that %s completes nothing: the goal is interrupted and says why', async (_, judge) => {
    const { conversation } = await play({ judge });
    const outcome = await conversation.goal.pursue('Ship it.');
    expect(outcome).toMatchObject({ status: 'interrupted', rounds: 0, error: { code: 'JUDGE_FAILED' } });
    expect(conversation.goal.status).toMatchObject({ active: false, status: 'interrupted', iteration: 0 });
    expect(await story(conversation)).toBe('system user agent');
  });
});
