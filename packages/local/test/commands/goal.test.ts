import type { StuckDetector } from '@conv/core';
import type { GoalStatus } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { gate, play, story, texts } from '../support/bench.ts';
import { FakeDetector } from '../support/fake-detector.ts';
import { FakeVault } from '../support/fake-vault.ts';
import { judging, missing, reached } from '../support/judging.ts';
import type { Script } from '../support/scripted-agent.ts';

describe('pursuing', () => {
  test('a goal runs, judges and says what is missing until it is reached', async () => {
    const { conversation, agent } = await play({ judge: judging(missing('the tests')) });
    const outcome = await conversation.goal.pursue('Ship it.');
    expect(outcome).toEqual({ status: 'complete', rounds: 2, verdict: reached });
    expect(await story(conversation)).toBe('system user agent user agent');
    const [objective, , followUp] = await texts(conversation);
    expect([objective, agent.requests, agent.rounds]).toEqual(['Ship it.', 2, 2]);
    expect(followUp).toContain('the tests');
    expect(followUp).toContain('Ship it.');
    expect(conversation.goal.status).toEqual({
      active: false,
      status: 'complete',
      iteration: 2,
      max_iterations: 10,
      objective: 'Ship it.',
      verdict: reached,
    });
  });

  test('a goal ends as capped after the last round, and says nothing more to the agent', async () => {
    const { conversation, agent } = await play({ judge: () => missing('everything', 0) });
    const outcome = await conversation.goal.pursue('Ship it.', { maxIterations: 2 });
    expect(outcome).toEqual({ status: 'capped', rounds: 2, verdict: missing('everything', 0) });
    expect([await story(conversation), agent.requests]).toEqual(['system user agent user agent', 2]);
    await expect(conversation.goal.resume()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('P1: each change of the goal is a commit that followers are told of', async () => {
    const { conversation } = await play({ judge: judging(missing('more')) });
    const seen: (readonly [string, number])[] = [];
    const told = Promise.withResolvers<void>();
    conversation.subscribe({
      onStateChange: ({ goal }) => {
        if (goal) seen.push([goal.status, goal.iteration]);
        if (goal?.status === 'complete') told.resolve();
      },
    });
    await conversation.goal.pursue('Ship it.');
    await told.promise;
    expect(new Set(seen.map(String))).toEqual(new Set(['running,0', 'running,1', 'complete,2']));
  });

  test('the cost of the judge is counted under its own usage id, in the commit of its round', async () => {
    const { conversation } = await play({ judge: judging(missing('more')) });
    await conversation.goal.pursue('Ship it.');
    expect(conversation.state.stats['judge']).toMatchObject({ calls: 2, cost: 0.02 });
    const rounds = (await Array.fromAsync(conversation.history.commits())).filter(({ records }) =>
      records?.some(({ usageId }) => usageId === 'judge'),
    );
    expect(rounds.map(({ patch }) => (patch?.set?.goal as GoalStatus | undefined)?.iteration)).toEqual([1, 2]);
  });

  test('the judge sees the branch as the model reads it', async () => {
    let seen = 0;
    const judge: Script['judge'] = ({ view }) => {
      seen = view.length;
      return reached;
    };
    const { conversation } = await play({ judge });
    await conversation.goal.pursue('Ship it.');
    expect(seen).toBe(conversation.events.length);
  });

  test.each([
    ['', {}],
    [' \n ', {}],
    [7 as never, {}],
    ['Ship it.', { maxIterations: 0 }],
    ['Ship it.', { maxIterations: 1.5 }],
  ])('P13: the goal %j with %j is refused and changes nothing', async (objective, options) => {
    const { conversation, store } = await play({ judge: () => reached });
    const { appends } = store;
    await expect(conversation.goal.pursue(objective, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect([store.appends, conversation.goal.status]).toEqual([appends, undefined]);
  });

  test('P13: an agent that cannot judge is refused with UNSUPPORTED before anything is sent', async () => {
    const { conversation } = await play();
    await expect(conversation.goal.pursue('Ship it.')).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect([conversation.events.length, conversation.goal.status]).toEqual([0, undefined]);
  });

  test('P9: objective and verdict are masked in the state', async () => {
    const key = 'tok_0123456789';
    const { conversation } = await play(
      { judge: judging(missing(`replace ${key}`), missing(`still ${key}`)) },
      { secrets: { TOKEN: key } },
      { secrets: (options) => new FakeVault(options) },
    );
    const outcome = await conversation.goal.pursue(`Rotate ${key}.`, { maxIterations: 2 });
    const commits = await Array.fromAsync(conversation.history.commits());
    expect(JSON.stringify([commits, outcome, conversation.goal.status])).not.toContain(key);
    expect(conversation.goal.status?.objective).toBe('Rotate <secret-hidden>.');
  });

  test('a run that ends in a loop is judged, and the next round starts a new loop detection', async () => {
    const { conversation, agent } = await play(
      { judge: judging(missing('another way')), think: ({ number }) => (number <= 5 ? ['work'] : 'done') },
      {},
      { stuckDetector: new FakeDetector() as StuckDetector },
    );
    const outcome = await conversation.goal.pursue('Ship it.');
    expect(outcome).toMatchObject({ status: 'complete', rounds: 2 });
    expect([agent.requests, conversation.state.executionStatus]).toEqual([6, 'finished']);
    expect((await conversation.events.slice()).map(({ kind }) => kind)).toContain('ConversationErrorEvent');
  });
});

describe('one at a time', () => {
  test('a second goal, a run and a move of HEAD are BUSY while a goal is worked on or judged', async () => {
    const asked = gate();
    const { conversation } = await play({
      judge: async () => {
        await asked.pass();
        return reached;
      },
    });
    const pursued = conversation.goal.pursue('Ship it.');
    await asked.reached;
    for (const busy of [
      conversation.goal.pursue('Another.'),
      conversation.goal.resume(),
      conversation.run(),
      conversation.history.navigateTo(null),
    ])
      await expect(busy).rejects.toMatchObject({ code: 'BUSY' });
    asked.open();
    expect(await pursued).toMatchObject({ status: 'complete', rounds: 1 });
  });

  test('a goal is BUSY during a run', async () => {
    const thinking = gate();
    const { conversation } = await play({
      judge: () => reached,
      think: async () => {
        await thinking.pass();
        return 'done';
      },
    });
    await conversation.sendMessage('Hi');
    const running = conversation.run();
    await thinking.reached;
    await expect(conversation.goal.pursue('Ship it.')).rejects.toMatchObject({ code: 'BUSY' });
    thinking.open();
    await running;
  });
});
