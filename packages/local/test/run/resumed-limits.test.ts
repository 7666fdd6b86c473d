import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions } from '../../src/index.ts';
import { gate, story } from '../support/bench.ts';
import { adopt, orphan, type Adopted, type Orphan } from '../support/dying.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import type { Script } from '../support/scripted-agent.ts';

/** Takes the run up and lets that process end, too, where the script says so. */
async function dieAgain({ store, id }: Orphan, script: (die: () => Promise<never>) => Script): Promise<Adopted> {
  const end = gate();
  const die = async (): Promise<never> => {
    await end.pass();
    return new Promise(() => {});
  };
  const adopted = await adopt(store, id, script(die));
  adopted.conversation.resumeRun().catch(() => {});
  await end.reached;
  await store.kill();
  return adopted;
}

const deadly = (die: () => Promise<never>): Script => ({ think: () => ['work'], call: () => die() });

describe('a run that ends its processes', () => {
  test('a run that ends its processes is given up at the sixth with a readable failure, and can run again', async () => {
    const left = await orphan(deadly);
    for (let death = 2; death <= 6; death++) {
      const { conversation } = await dieAgain(left, deadly);
      expect(conversation.state.lastRun?.takeovers).toBe(death - 1);
    }
    const { conversation, agent } = await left.adopt();
    expect(await conversation.resumeRun()).toMatchObject({ status: 'error', iterations: 0 });
    expect([agent.requests, agent.begun, conversation.state.lastRun]).toEqual([0, [], null]);
    const failure = (await conversation.events.slice()).findLast((event) => isEvent(event, 'ConversationErrorEvent'));
    expect(failure).toMatchObject({ code: 'RunLost', detail: expect.stringContaining('6 times') as string });
    expect(await conversation.resumeRun()).toMatchObject({ status: 'error', iterations: 0 });
    expect((await conversation.run()).status).toBe('finished');
    expect(conversation.state.lastRun?.takeovers).toBe(0);
  });

  test('a run that ends its processes is not given up while it gets further by a step with its calls', async () => {
    let requests = 0;
    const further = (die: () => Promise<never>): Script => ({
      think: () => (++requests % 2 === 1 ? ['work'] : die()),
    });
    const left = await orphan(further);
    for (let death = 2; death <= 9; death++) await dieAgain(left, further);
    const { conversation } = await left.adopt();
    expect(conversation.state.lastRun?.takeovers).toBe(0);
    expect((await conversation.resumeRun()).status).toBe('finished');
  });

  test('an answer of the model alone is no progress: its calls may be what ends the process', async () => {
    const left = await orphan(deadly);
    await dieAgain(left, deadly);
    const { conversation } = await dieAgain(left, deadly);
    expect(conversation.state.iteration).toBe(3);
    expect(conversation.state.lastRun?.takeovers).toBe(2);
  });

  test('opening a run without taking it up is not counted', async () => {
    const left = await orphan(deadly);
    for (let time = 0; time < 8; time++) {
      await left.adopt();
      await left.store.kill();
    }
    const { conversation } = await left.adopt();
    expect((await conversation.resumeRun()).status).toBe('finished');
  });
});

describe('P4: the limits of a run hold over all processes that work on it', () => {
  test.each([
    ['of the conversation', { maxIterations: 3 }, {}],
    ['of the run', {}, { maxIterations: 3 }],
  ])('P4: iterations are limited over all processes %s', async (_, options: LocalConversationOptions, run) => {
    let requests = 0;
    const script = (die: () => Promise<never>): Script => ({ think: () => (++requests === 3 ? die() : ['work']) });
    const left = await orphan(script, options, {}, async () => {}, run);
    const { conversation, agent } = await left.adopt({ think: () => ['work'] });
    expect(await conversation.resumeRun()).toMatchObject({ status: 'error', iterations: 1 });
    expect(agent.requests).toBe(1);
    expect(conversation.state.iteration).toBe(3);
    expect(await conversation.events.at(-1)).toMatchObject({ code: 'MaxIterationsReached' });
    expect((await conversation.run({ maxIterations: 1 })).iterations).toBe(1);
  });

  test('resuming with a limit of its own counts what went before', async () => {
    let requests = 0;
    const left = await orphan((die) => ({ think: () => (++requests === 3 ? die() : ['work']) }));
    const { conversation } = await left.adopt({ think: () => ['work'] });
    expect(await conversation.resumeRun({ maxIterations: 2 })).toMatchObject({ status: 'error', iterations: 0 });
  });

  test('P4: dollars are limited over all processes of a run', async () => {
    let requests = 0;
    // each response costs a cent
    const left = await orphan((die) => ({ think: () => (++requests === 3 ? die() : ['work']) }), {
      maxBudgetPerRun: 0.03,
    });
    const { conversation, agent } = await left.adopt({ think: () => ['work'] });
    expect((await conversation.resumeRun()).status).toBe('error');
    expect(agent.requests).toBe(1);
    expect(await conversation.events.at(-1)).toMatchObject({ code: 'MaxBudgetReached' });
  });

  test('P4: a used-up budget ends a run before anything is done', async () => {
    let requests = 0;
    const left = await orphan((die) => ({
      think: () => (++requests === 3 ? die() : ['work']),
    }));
    const { conversation, agent } = await left.adopt({}, { maxBudget: 0.02 });
    expect(await conversation.resumeRun()).toMatchObject({ status: 'error', iterations: 0 });
    expect([agent.requests, conversation.state.lastRun]).toEqual([0, null]);
    expect(await story(conversation, 6)).toBe('failure');
  });
});

describe('an interrupted run', () => {
  test('an interrupted run comes to rest when it is interrupted again while the analyzer is asked', async () => {
    const asked = Promise.withResolvers<void>();
    let hangs = false;
    const analyzer = new FakeAnalyzer(() => {
      if (!hangs) return { risk: 'LOW', reasons: [] };
      asked.resolve();
      return new Promise(() => {});
    });
    let calls = 0;
    const left = await orphan(
      (die) => ({ think: () => ['work', 'work', 'work'], call: () => (++calls === 2 ? die() : 'ok') }),
      {
        confirmationPolicy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
        securityAnalyzer: analyzer,
      },
    );
    hangs = true;
    const { conversation, agent } = await left.adopt({}, { securityAnalyzer: analyzer });
    const taken = conversation.resumeRun();
    await asked.promise;
    await conversation.interrupt();
    expect(await taken).toEqual({ status: 'paused', iterations: 0 });
    expect([agent.begun, conversation.state.pendingActions]).toEqual([[], []]);
  });
});
