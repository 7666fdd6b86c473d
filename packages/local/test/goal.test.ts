import type { GoalOutcome, StuckDetector } from '@conv/core';
import { isEvent, type Event, type GoalStatus, type GoalVerdict } from '@conv/core/events';
import type { Journal } from '@conv/core/store';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story, texts } from './bench.ts';
import { FakeDetector } from './fake-detector.ts';
import { FakeVault } from './fake-vault.ts';
import { ScriptedAgent, type Script } from './scripted-agent.ts';

const missing = (what: string, score = 0.3): GoalVerdict => ({ score, complete: false, missing: what });
const reached: GoalVerdict = { score: 1, complete: true };

/** A judge that says these things one after the other, and then that everything is reached. */
function judging(...verdicts: readonly GoalVerdict[]): NonNullable<Script['judge']> {
  return ({ number }) => verdicts[number - 1] ?? reached;
}

describe('pursuing', () => {
  test('runs, judges and says what is missing until the goal is reached', async () => {
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

  test('ends as capped after the last round, and says nothing more to the agent', async () => {
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

  test('what the judge costs is counted under a name of its own, in the commit of its round', async () => {
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

  test('a run that goes round in a circle is judged, and the next round looks for circles anew', async () => {
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
  test('a second goal, a run and a move of HEAD are BUSY while one is worked on, also while the judge is asked', async () => {
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
    'P7: %s while the judge is asked ends it at once as interrupted, and resuming asks the judge again without a run',
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

  test('a signal does the same', async () => {
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

  test('P10: calls that wait for a person interrupt it; resuming approves nothing, and executes what was approved', async () => {
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

  test('a run that fails interrupts it with its error, and a round is not counted', async () => {
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

describe('restarts', () => {
  test.each(['thinking', 'judging'] as const)(
    'P4: killed while %s, the goal is interrupted when it is opened, and resuming counts each round once',
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

  test('closing interrupts it, so that the next opening can resume it', async () => {
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

  test('a fork of a conversation that works on a goal has it interrupted', async () => {
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

  test('there is nothing to resume before the first goal, and stop does nothing', async () => {
    const { conversation, store } = await play({ judge: () => reached });
    const { appends } = store;
    await conversation.goal.stop();
    await expect(conversation.goal.resume()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect([store.appends, conversation.goal.status]).toEqual([appends, undefined]);
  });
});

/** A store that is killed when a commit, counted from 1 over its life, is durable and not yet acknowledged. */
class MortalStore extends KillableStore {
  readonly died: Promise<void>;
  readonly #die: () => void;
  readonly #at: number;
  #appends = 0;

  constructor(at: number) {
    super();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
    this.#at = at;
  }

  override async open(...[id, options]: Parameters<KillableStore['open']>): Promise<Journal> {
    const journal = await super.open(id, options);
    const append: Journal['append'] = async (...commit) => {
      const stored = await journal.append(...commit);
      if (++this.#appends !== this.#at) return stored;
      await this.kill();
      this.#die();
      return never();
    };
    return new Proxy(journal, {
      get: (target, key) => (key === 'append' ? append : (Reflect.get(target, key, target) as unknown)),
    });
  }
}

describe('P4: killed after any commit and resumed', () => {
  const script: Script = {
    think: ({ number }) => (number % 2 === 1 ? ['work'] : 'done'),
    // it goes by what is on record: a judge of the next process knows nothing of the one before
    judge: ({ view }) => (view.filter(isFollowUp).length < 2 ? missing('more') : reached),
  };

  function isFollowUp(event: Event): boolean {
    return isEvent(event, 'MessageEvent') && event.sender === 'goal';
  }

  /** What has become of a goal whose process was killed at that commit; `undefined` when it came to its end before. */
  async function afterDeathAt(commit: number): Promise<unknown> {
    const store = new MortalStore(commit);
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
  test('rejects the pursuit; the goal shows as interrupted, and can be resumed when the store is there again', async () => {
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
