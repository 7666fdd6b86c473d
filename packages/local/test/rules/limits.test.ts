import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions } from '../../src/index.ts';
import { open, play, story, type Bench } from '../support/bench.ts';
import type { Request } from '../support/scripted-agent.ts';

/** Each answer of the scripted model costs one cent. */
const works = (): readonly string[] => ['work'];
const worksOnce = ({ number }: Request): string | readonly string[] => (number % 2 === 1 ? ['work'] : 'done');

async function begun(
  options: LocalConversationOptions,
  think: (request: Request) => string | readonly string[] = works,
): Promise<Bench> {
  const bench = await play({ think }, options);
  await bench.conversation.sendMessage('go');
  return bench;
}

async function lastFailure({ conversation }: Pick<Bench, 'conversation'>): Promise<unknown> {
  return (await conversation.events.slice()).findLast((event) => isEvent(event, 'ConversationErrorEvent'));
}

describe('the budget per run', () => {
  test('the budget ends the run after the step that used it up, and its calls are kept and do not run', async () => {
    const bench = await begun({ maxBudgetPerRun: 0.02 });
    const result = await bench.conversation.run();
    expect(await story(bench.conversation, 2)).toBe('action result action failure');
    const code = 'MaxBudgetReached';
    const detail = 'Agent reached maximum budget limit ($0.0200); accumulated cost $0.0200.';
    expect(await lastFailure(bench)).toMatchObject({ code, detail });
    const reason = { code, detail, limit: 'maxBudgetPerRun', value: 0.02 };
    expect(result).toEqual({ status: 'error', iterations: 2, reason });
    expect(bench.agent.begun).toHaveLength(1);
    expect(bench.conversation.state.calls).toEqual({});
    expect(bench.conversation.state.pendingActions).toHaveLength(1);
  });

  test.each([0.012_345, 0.000_000_1, 0.000_05])(
    'the reason of a run that the budget of $%d ended has the whole limit',
    async (maxBudgetPerRun) => {
      const bench = await begun({ maxBudgetPerRun });
      const { reason } = await bench.conversation.run();
      expect(reason).toMatchObject({ limit: 'maxBudgetPerRun', value: maxBudgetPerRun });
    },
  );

  test('P10: calls that the budget left behind run under the policy in force by then', async () => {
    const strict = await begun({ maxBudgetPerRun: 0.02 });
    await strict.conversation.run();
    await strict.conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    expect((await strict.conversation.run()).status).toBe('waiting_for_confirmation');
    expect(strict.agent.begun).toHaveLength(1);
    await strict.conversation.run();
    expect(strict.agent.begun).toHaveLength(2);
    const loose = await begun({ maxBudgetPerRun: 0.02 });
    await loose.conversation.run();
    await loose.conversation.run();
    expect(loose.agent.begun.length).toBeGreaterThan(1);
  });

  test('the budget per run counts from the beginning of each run', async () => {
    const { conversation } = await begun({ maxBudgetPerRun: 0.03 }, worksOnce);
    for (let run = 1; run <= 3; run++) {
      expect(await conversation.run()).toEqual({ status: 'finished', iterations: 2 });
      await conversation.sendMessage('again');
    }
    expect(conversation.state.metrics.totalCost).toBeCloseTo(0.06);
  });

  test('the budget per run never overrules an answer, nor a finish call', async () => {
    const answered = await begun({ maxBudgetPerRun: 0.01 }, () => 'done');
    expect((await answered.conversation.run()).status).toBe('finished');
    const finished = await begun({ maxBudgetPerRun: 0.01 }, () => ['finish']);
    expect((await finished.conversation.run()).status).toBe('finished');
  });

  test('the budget per run comes before the limit of iterations', async () => {
    const bench = await begun({ maxBudgetPerRun: 0.01, maxIterations: 1 });
    await bench.conversation.run();
    expect(await lastFailure(bench)).toMatchObject({ code: 'MaxBudgetReached' });
  });

  test('P10: the budget leaves waiting calls to the person, who can approve them in the next run', async () => {
    const bench = await begun({ maxBudgetPerRun: 0.01, confirmationPolicy: { kind: 'AlwaysConfirm' } }, worksOnce);
    expect((await bench.conversation.run()).status).toBe('waiting_for_confirmation');
    expect((await bench.conversation.run()).status).toBe('finished');
    expect(bench.agent.begun).toHaveLength(1);
  });
});

describe('the budget of the conversation', () => {
  test('a used-up budget ends every run at once and asks no model, until it is raised', async () => {
    const bench = await begun({ maxBudget: 0.01 });
    await bench.conversation.run();
    const result = await bench.conversation.run();
    expect(await story(bench.conversation, 2)).toBe('action failure failure');
    const code = 'MaxBudgetReached';
    const detail =
      'Agent reached maximum budget limit ($0.0100); accumulated cost $0.0100. The limit is that of all runs together.';
    expect(await lastFailure(bench)).toMatchObject({ code, detail });
    const reason = { code, detail, limit: 'maxBudget', value: 0.01 };
    expect(result).toEqual({ status: 'error', iterations: 0, reason });
    expect(bench.agent).toMatchObject({ requests: 1, begun: [] });
    await bench.conversation.settings.setLimits({ maxBudget: 0.02 });
    expect(await bench.conversation.run()).toMatchObject({ status: 'error', iterations: 1 });
    expect(bench.agent.begun).toHaveLength(1);
  });

  test('lowering the budget of the conversation during a run ends the run', async () => {
    const bench: Bench = await play({
      think: async ({ number }) => {
        if (number === 2) await bench.conversation.settings.setLimits({ maxBudget: 0.01 });
        return ['work'];
      },
    });
    await bench.conversation.sendMessage('go');
    expect(await bench.conversation.run()).toMatchObject({ status: 'error', iterations: 2 });
  });
});

describe('limits', () => {
  test('the time per tool reaches the agent with each call', async () => {
    const timeouts: unknown[] = [];
    const bench = await play(
      { think: worksOnce, call: (_tool, _signal, _event, { timeout }) => void timeouts.push(timeout) },
      { toolTimeout: 5000 },
    );
    for (const toolTimeout of [7000, null]) {
      await bench.conversation.sendMessage('go');
      await bench.conversation.run();
      await bench.conversation.settings.setLimits({ toolTimeout });
    }
    await bench.conversation.sendMessage('go');
    await bench.conversation.run();
    expect(timeouts).toEqual([5000, 7000, undefined]);
  });

  test('P4: limits hold after a restart and in a fork, whatever the metrics say', async () => {
    const limits = { maxBudgetPerRun: 1, maxBudget: 2, toolTimeout: 3, maxIterations: 4, stuckDetection: false };
    const { conversation, store, agent } = await play({}, limits);
    const { id } = conversation;
    await conversation.sendMessage('go');
    await conversation.close();
    const again = await open(store, { id, agent });
    expect(again.state).toMatchObject(limits);
    for (const from of [undefined, (await again.events.idAt(1)) ?? '']) {
      const fork = await open(store, { id: await again.history.fork(from === undefined ? {} : { from }), agent });
      expect(fork.state).toMatchObject(limits);
    }
  });
});
