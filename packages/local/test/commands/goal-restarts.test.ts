import type { GoalOutcome } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play } from '../support/bench.ts';
import { judging, missing, reached } from '../support/judging.ts';
import { MortalStore } from '../support/mortal-store.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

describe('restarts', () => {
  test.each(['thinking', 'judging'] as const)(
    'P4: a goal whose process is killed while %s is interrupted, and resuming counts each round once',
    async (moment) => {
      const store = new KillableStore();
      const reachedIt = Promise.withResolvers<void>();
      const stop = (): Promise<never> => {
        reachedIt.resolve();
        return never();
      };
      const first = await open(store, {
        agent: new ScriptedAgent({
          think: ({ number }) => (moment === 'thinking' && number === 2 ? stop() : `answer ${number}`),
          judge: ({ number }) => (moment === 'judging' && number === 2 ? stop() : missing('more')),
        }),
      });
      void first.goal.pursue('Ship it.', { maxIterations: 3 });
      await reachedIt.promise;
      await store.kill();
      const agent = new ScriptedAgent({ judge: judging(missing('still more')) });
      const again = await open(store, { id: first.id, agent });
      expect(again.goal.status).toMatchObject({ active: false, status: 'interrupted', iteration: 1 });
      const outcome = await again.goal.resume();
      expect(outcome).toEqual({ status: 'complete', rounds: 3, verdict: reached });
      expect(agent.rounds).toBe(2);
    },
  );

  test('closing interrupts a goal, so that the next opening can resume it', async () => {
    const asked = Promise.withResolvers<void>();
    const { conversation, store } = await play({
      judge: () => {
        asked.resolve();
        return never();
      },
    });
    const pursued = conversation.goal.pursue('Ship it.');
    await asked.promise;
    await conversation.close();
    expect(await pursued).toEqual({ status: 'interrupted', rounds: 0 });
    const again = await open(store, { id: conversation.id, agent: new ScriptedAgent({ judge: () => reached }) });
    expect(await again.goal.resume()).toMatchObject({ status: 'complete', rounds: 1 });
  });

  test('a fork of a conversation that works on a goal has an interrupted goal', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      judge: async () => {
        await asked.pass();
        return reached;
      },
    });
    const pursued = conversation.goal.pursue('Ship it.');
    await asked.reached;
    const id = await conversation.history.fork();
    const fork = await open(store, { id, agent: new ScriptedAgent({ judge: () => reached }) });
    expect(fork.goal.status).toMatchObject({ active: false, status: 'interrupted', objective: 'Ship it.' });
    expect(conversation.goal.status).toMatchObject({ active: true, status: 'running' });
    asked.open();
    expect(await pursued).toMatchObject({ status: 'complete' });
  });

  test('resume finds nothing before the first goal, and stop does nothing', async () => {
    const { conversation, store } = await play({ judge: () => reached });
    const { appends } = store;
    await conversation.goal.stop();
    await expect(conversation.goal.resume()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect([store.appends, conversation.goal.status]).toEqual([appends, undefined]);
  });
});

describe('P4: killed after any commit and resumed', () => {
  const script: Script = {
    think: ({ number }) => (number % 2 === 1 ? ['work'] : 'done'),
    // it goes by what is on record: a judge of the next process knows nothing of the one before
    judge: ({ view }) => (view.filter(isFollowUp).length < 2 ? missing('more') : reached),
  };

  function isFollowUp(event: Event): boolean {
    return isEvent(event, 'MessageEvent') && event.sender === 'goal';
  }

  /** Returns the outcome of a goal whose process was killed at that commit; `undefined` when it ended before. */
  async function afterDeathAt(commit: number): Promise<unknown> {
    const store = new MortalStore().live(commit);
    const id = crypto.randomUUID();
    const pursue = async (): Promise<GoalOutcome> => {
      const first = await open(store, { id, agent: new ScriptedAgent(script) });
      return first.goal.pursue('Ship it.');
    };
    if (await Promise.race([pursue(), store.died])) return undefined;
    const again = await open(store, { id, agent: new ScriptedAgent(script) });
    const found = again.goal.status;
    // calls that were killed before they began wait for a person
    if (again.state.executionStatus === 'waiting_for_confirmation') await again.approve();
    if (!found) await again.goal.pursue('Ship it.');
    else if (found.status !== 'complete') await again.goal.resume();
    const { status, iteration } = again.goal.status ?? {};
    const followUps = (await again.events.slice()).filter(isFollowUp).length;
    const verdicts = again.state.stats['judge']?.calls;
    await again.close();
    return { wasActive: found?.active ?? false, status, iteration, followUps, verdicts };
  }

  test('a goal ends after the same rounds, each counted once', async () => {
    const found: unknown[] = [];
    for (let commit = 1; ; commit += 1) {
      const life = await afterDeathAt(commit);
      if (life === undefined) break;
      found.push(life);
    }
    expect(found.length).toBeGreaterThan(15);
    const whole = { wasActive: false, status: 'complete', iteration: 3, followUps: 2, verdicts: 3 };
    expect(found).toEqual(found.map(() => whole));
  });
});

describe('a store that fails', () => {
  test('a failing store rejects the pursuit, and the interrupted goal is resumed when the store is back', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      judge: async ({ number }) => {
        if (number === 1) await asked.pass();
        return reached;
      },
    });
    const pursued = conversation.goal.pursue('Ship it.');
    await asked.reached;
    store.refuse();
    asked.open();
    await expect(pursued).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(conversation.goal.status).toMatchObject({ active: false, status: 'interrupted', iteration: 0 });
    store.onAppend = undefined;
    expect(await conversation.goal.resume()).toMatchObject({ status: 'complete', rounds: 1 });
  });

  test('P2: a pursuit ends with FENCED when another process takes the conversation over', async () => {
    const asked = Promise.withResolvers<void>();
    const { conversation, store } = await play({
      judge: () => {
        asked.resolve();
        return never();
      },
    });
    const pursued = conversation.goal.pursue('Ship it.');
    await asked.promise;
    store.fenceOff();
    await expect(pursued).rejects.toMatchObject({ code: 'FENCED' });
  });
});
