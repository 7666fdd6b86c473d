import { isEvent, type Event } from '@conv/core/events';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story, texts } from './bench.ts';
import { adopt, orphan, type Dying } from './dying.ts';
import { FakeAnalyzer } from './fake-analyzer.ts';
import { FakeHooks } from './fake-hooks.ts';
import { childIds, family, stored, task } from './family.ts';
import { ScriptedAgent } from './scripted-agent.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;
const RISKY = { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true } as const;

/** Dies in the second of three calls. */
const inSecondCall: Dying = (die) => {
  let calls = 0;
  return { think: () => ['work', 'work', 'work'], call: () => (++calls === 2 ? die() : 'ok') };
};

const errorOf = (event: Event | undefined): string | undefined =>
  event && isEvent(event, 'AgentErrorEvent') ? event.error : undefined;

describe('opened with the run kept', () => {
  test('P4, P5: it says running without a pause, and a call that had started has an unknown outcome', async () => {
    const left = await orphan(inSecondCall);
    const { conversation } = await left.adopt();
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual(['running', true]);
    expect(await story(conversation)).toBe('system user action action action result error');
    expect(errorOf(await conversation.events.at(-1))).toContain('outcome is unknown');
    expect(conversation.state.calls).toEqual({});
    expect(conversation.state.pendingActions).toHaveLength(1);
  });

  test('by default it is brought to rest, and there is nothing to take up', async () => {
    const left = await orphan(inSecondCall);
    const { conversation, agent } = await left.adopt({}, { interruptedRun: 'rest' });
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual([
      'waiting_for_confirmation',
      false,
    ]);
    expect(await conversation.takeUp()).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
    expect(agent.begun).toEqual([]);
  });

  test('opening it again and again changes nothing more, and knows that the other call had not started', async () => {
    const left = await orphan(inSecondCall);
    await left.adopt();
    await left.store.kill();
    const { conversation: second } = await left.adopt();
    const { end } = second.state;
    await second.close();
    const { conversation: third, agent } = await left.adopt();
    expect(third.state.end).toEqual(end);
    expect([third.state.pendingActions.length, third.state.executionStatus]).toEqual([1, 'running']);
    expect(await third.takeUp()).toEqual({ status: 'finished', iterations: 1 });
    expect(agent.begun).toHaveLength(1);
  });

  test('its queue is appended, and the user is answered', async () => {
    const left = await orphan(
      (die) => ({ think: () => ['work'], call: () => die() }),
      {},
      {},
      async (conversation) => {
        conversation.subscribe((event) => {
          if (isEvent(event, 'ActionEvent')) return conversation.sendMessage('and this').then(() => {});
          return undefined;
        });
      },
    );
    const { conversation } = await left.adopt();
    expect(await story(conversation, 2)).toMatch(/^action error( user)?$/);
    expect((await conversation.takeUp()).status).toBe('finished');
  });

  test.each([
    ['owner', { owner: ' ' }],
    ['owner', { owner: 7 as never }],
    ['interruptedRun', { interruptedRun: 'resume' as never }],
  ])('P13: a wrong %s is refused before anything is touched', async (name, options) => {
    await expect(play({}, options)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(name) as string,
    });
  });

  test('P2: a second opener reads what the owner calls itself, and so it does of what works for the owner', async () => {
    const owner = 'http://one.test:8000';
    const working = gate();
    const think = async (): Promise<never> => {
      await working.pass();
      return never();
    };
    const home = await family({ tasks: [task(new ScriptedAgent({ think }))], options: { owner } });
    const running = home.go();
    await working.reached;
    for (const id of [home.parent.id, ...(await childIds(home.store))])
      await expect(open(home.store, { id, agent: new ScriptedAgent() })).rejects.toMatchObject({
        code: 'OWNED',
        cause: { code: 'OWNED', owner: { owner } },
      });
    await home.parent.interrupt();
    await running;
  });
});

describe('taking a run up', () => {
  test('goes on to its end, executes what the policy allows, and nothing twice', async () => {
    const left = await orphan(inSecondCall);
    const { conversation, agent } = await left.adopt();
    expect(await conversation.takeUp()).toEqual({ status: 'finished', iterations: 1 });
    expect(await story(conversation, 5)).toBe('result error result agent');
    expect(agent.begun).toHaveLength(1);
    for (const id of agent.begun) expect(left.agent.begun).not.toContain(id);
    expect(conversation.interruptedRun).toBe(false);
  });

  test('after a death before the model had answered asks it again', async () => {
    const left = await orphan((die) => ({ think: () => die() }));
    const { conversation } = await left.adopt();
    expect(await story(conversation)).toBe('system user');
    expect(await conversation.takeUp()).toEqual({ status: 'finished', iterations: 1 });
    expect(await texts(conversation)).toEqual(['go', 'done']);
  });

  test('of nothing is a run that has nothing to do', async () => {
    const { conversation, store } = await play({}, { interruptedRun: 'keep' });
    expect(await conversation.takeUp()).toEqual({ status: 'idle', iterations: 0 });
    await conversation.sendMessage('go');
    const { appends } = store;
    expect(await conversation.takeUp()).toEqual({ status: 'idle', iterations: 0 });
    expect(store.appends).toBe(appends);
    expect((await conversation.run()).status).toBe('finished');
    expect(await conversation.takeUp()).toEqual({ status: 'finished', iterations: 0 });
  });

  test('rejects BUSY during a run, and CLOSED after the end', async () => {
    const { conversation } = await play();
    await conversation.sendMessage('go');
    const running = conversation.run();
    await expect(conversation.takeUp()).rejects.toMatchObject({ code: 'BUSY' });
    await running;
    await conversation.close();
    await expect(conversation.takeUp()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(conversation.takeUp({ maxIterations: 0 })).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('P10: a fork of a conversation that runs has no run to take up', async () => {
    const left = await orphan(inSecondCall);
    const { conversation } = await left.adopt();
    const id = await conversation.history.fork();
    const { conversation: fork, agent } = await adopt(left.store, id);
    expect([fork.interruptedRun, (await fork.takeUp()).iterations, agent.begun]).toEqual([false, 0, []]);
    expect(fork.state.executionStatus).not.toBe('running');
  });

  test('a conversation that works for another one comes to rest, also while its parent is taken up', async () => {
    const store = new KillableStore();
    const working = gate();
    const think = async (): Promise<never> => {
      await working.pass();
      return never();
    };
    const home = await family({ store, tasks: [task(new ScriptedAgent({ think }))] });
    home.go().catch(() => {});
    await working.reached;
    await store.kill();
    const [id = ''] = await childIds(store);
    expect((await stored(store, id)).executionStatus).toBe('running');
    const { conversation: child, agent } = await adopt(store, id);
    expect([child.interruptedRun, child.state.executionStatus, agent.requests]).toEqual([false, 'paused', 0]);
    await child.close();
    const { conversation: parent } = await adopt(store, home.parent.id);
    expect((await parent.takeUp()).status).toBe('finished');
    expect(JSON.stringify(await parent.events.slice())).toContain(`can be taken up again by id: \\"${id}\\"`);
  });

  test('a run that another program left running comes to rest', async () => {
    const { conversation, store } = await play();
    await conversation.sendMessage('go');
    await conversation.state.update({ set: { executionStatus: 'running' } });
    await conversation.close();
    const agent = new ScriptedAgent();
    const again = await open(store, { id: conversation.id, agent, interruptedRun: 'keep' });
    expect([again.interruptedRun, again.state.executionStatus]).toEqual([false, 'paused']);
  });
});

describe('P10: taking a run up approves nothing', () => {
  test('what the policy wants a person asked about waits', async () => {
    const left = await orphan(inSecondCall, { confirmationPolicy: ALWAYS }, {}, async (conversation) => {
      await conversation.run();
      await conversation.approve();
    });
    const { conversation, agent } = await left.adopt();
    expect(await conversation.takeUp()).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
    expect([agent.begun, conversation.state.pendingActions.length]).toEqual([[], 1]);
    await conversation.approve();
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
  });

  test('a call that a person left open when others were approved is not executed because it alone is harmless', async () => {
    const analyzer = (): FakeAnalyzer =>
      new FakeAnalyzer((tool) => ({ risk: tool === 'risky' ? 'HIGH' : 'LOW', reasons: [] }));
    const left = await orphan(
      (die) => ({ think: () => ['risky', 'safe'], call: () => die() }),
      { confirmationPolicy: RISKY, securityAnalyzer: analyzer() },
      { analyzers: analyzer },
      async (conversation) => {
        await conversation.run();
        await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
      },
    );
    const { conversation, agent } = await left.adopt({}, {}, { analyzers: analyzer });
    expect((await conversation.takeUp()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test('what the analyzer finds harmless still is executed: it is asked again', async () => {
    const analyzer = (): FakeAnalyzer => new FakeAnalyzer(() => ({ risk: 'LOW', reasons: [] }));
    const left = await orphan(
      inSecondCall,
      { confirmationPolicy: RISKY, securityAnalyzer: analyzer() },
      { analyzers: analyzer },
    );
    const { conversation, agent } = await left.adopt({}, {}, { analyzers: analyzer });
    expect((await conversation.takeUp()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
  });

  test('what a person approves between the opening and the taking up is executed, and nothing else', async () => {
    const left = await orphan(
      (die) => {
        let calls = 0;
        return { think: () => ['work', 'work', 'work', 'work'], call: () => (++calls === 2 ? die() : 'ok') };
      },
      { confirmationPolicy: ALWAYS },
      {},
      async (conversation) => {
        await conversation.run();
        await conversation.approve();
      },
    );
    const { conversation, agent } = await left.adopt();
    const [third, fourth] = conversation.state.pendingActions;
    await conversation.approve([fourth?.id ?? '']);
    expect((await conversation.takeUp()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([fourth?.tool_call_id]);
    expect(conversation.state.pendingActions.map(({ id }) => id)).toEqual([third?.id]);
  });

  test('run does not either, while the run is on record as on', async () => {
    const left = await orphan(inSecondCall, { confirmationPolicy: ALWAYS }, {}, async (conversation) => {
      await conversation.run();
      await conversation.approve();
    });
    const { conversation, agent } = await left.adopt();
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test('a message that came meanwhile rejects what waits', async () => {
    const left = await orphan(inSecondCall, { confirmationPolicy: ALWAYS }, {}, async (conversation) => {
      await conversation.run();
      await conversation.approve();
    });
    const { conversation, agent } = await left.adopt();
    expect(await conversation.sendMessage('stop that')).toMatchObject({ queued: true });
    expect((await conversation.takeUp()).status).toBe('finished');
    expect(await story(conversation, 5)).toBe('result error reject user agent');
    expect(agent.begun).toEqual([]);
  });
});

describe('a run that is kept', () => {
  test.each(['pause', 'interrupt', 'withdrawRun'] as const)('is brought to rest by %s', async (command) => {
    const left = await orphan((die) => ({ think: () => die() }));
    const { conversation, agent } = await left.adopt();
    await conversation[command]();
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual(['paused', false]);
    expect(await story(conversation)).toBe('system user pause');
    expect(await conversation.takeUp()).toEqual({ status: 'paused', iterations: 0 });
    expect(agent.requests).toBe(0);
  });

  test('stays one when it is closed, and is taken up by the next', async () => {
    const left = await orphan((die) => ({ think: () => die() }));
    await (await left.adopt()).conversation.close();
    const { conversation } = await left.adopt();
    expect(conversation.interruptedRun).toBe(true);
    expect((await conversation.takeUp()).status).toBe('finished');
  });

  test('goes on where its store failed: the end of a run that could not be stored is no end', async () => {
    const { conversation, store, agent } = await play(
      { think: ({ number }) => (number === 1 ? ['work'] : 'done'), call: () => store.refuse() },
      { interruptedRun: 'keep' },
    );
    await conversation.sendMessage('go');
    await expect(conversation.run()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    store.onAppend = undefined;
    expect(conversation.interruptedRun).toBe(true);
    expect((await conversation.takeUp()).status).toBe('finished');
    expect(await story(conversation, 2)).toBe('action error agent');
    expect(agent.begun).toHaveLength(1);
  });

  test('an answer that Stop hooks were being asked about is not given twice', async () => {
    const hooks = (answered: () => unknown): FakeHooks =>
      new FakeHooks({
        Stop: async () => {
          await answered();
          return {};
        },
      });
    const asked = Promise.withResolvers<void>();
    const left = await orphan(
      (die) => {
        void asked.promise.then(die);
        return {};
      },
      {
        hooks: hooks(() => {
          asked.resolve();
          return never();
        }),
      },
    );
    let again = 0;
    const { conversation, agent } = await left.adopt({}, { hooks: hooks(() => again++) });
    expect(await conversation.takeUp()).toEqual({ status: 'finished', iterations: 0 });
    expect([again, agent.requests]).toEqual([1, 0]);
    expect(await texts(conversation)).toEqual(['go', 'done']);
  });
});
