import { isEvent, type Event } from '@conv/core/events';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { gate, never, open, play, story, texts } from '../support/bench.ts';
import { adopt, inSecondCall, orphan } from '../support/dying.ts';
import { childIds, family, stored, task } from '../support/family.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const errorOf = (event: Event | undefined): string | undefined =>
  event && isEvent(event, 'AgentErrorEvent') ? event.error : undefined;

describe('opened with the run kept', () => {
  test('P4, P5: a kept run says running without a pause, and a call that had started has an unknown outcome', async () => {
    const left = await orphan(inSecondCall);
    const { conversation } = await left.adopt();
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual(['running', true]);
    expect(await story(conversation)).toBe('system user action action action result error');
    expect(errorOf(await conversation.events.at(-1))).toContain('outcome is unknown');
    expect(conversation.state.calls).toEqual({});
    expect(conversation.state.pendingActions).toHaveLength(1);
  });

  test('an interrupted run is settled by default, and nothing is left to resume', async () => {
    const left = await orphan(inSecondCall);
    const { conversation, agent } = await left.adopt({}, { interruptedRun: 'pause' });
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual([
      'waiting_for_confirmation',
      false,
    ]);
    expect(await conversation.resumeRun()).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
    expect(agent.begun).toEqual([]);
  });

  test('opening a conversation again changes nothing more, and knows that the other call had not started', async () => {
    const left = await orphan(inSecondCall);
    await left.adopt();
    await left.store.kill();
    const { conversation: second } = await left.adopt();
    const { end } = second.state;
    await second.close();
    const { conversation: third, agent } = await left.adopt();
    expect(third.state.end).toEqual(end);
    expect([third.state.pendingActions.length, third.state.executionStatus]).toEqual([1, 'running']);
    expect(await third.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect(agent.begun).toHaveLength(1);
  });

  test('the queue of a kept run is appended, and the user is answered', async () => {
    let live: LocalConversation | undefined;
    const call = async (die: () => Promise<never>): Promise<never> => {
      await live?.sendMessage('and this');
      return die();
    };
    const left = await orphan(
      (die) => ({ think: () => ['work'], call: () => call(die) }),
      {},
      {},
      async (conversation) => void (live = conversation),
    );
    const { conversation } = await left.adopt();
    expect(await story(conversation, 2)).toBe('action error user');
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await texts(conversation)).toEqual(['go', 'and this', 'done']);
  });

  test.each([
    ['owner', { owner: ' ' }],
    ['owner', { owner: 7 as never }],
    ['interruptedRun', { interruptedRun: 'keep' as never }],
  ])('P13: a wrong %s is refused before anything is touched', async (name, options) => {
    await expect(play({}, options)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(name) as string,
    });
  });

  test('P2: a second opener is told the name of the owner, and for a child its parent, too', async () => {
    const owner = 'http://one.test:8000';
    const working = gate();
    const think = async (): Promise<never> => {
      await working.pass();
      return never();
    };
    const home = await family({ tasks: [task(new ScriptedAgent({ think }))], options: { owner } });
    const running = home.go();
    await working.reached;
    const [child = ''] = await childIds(home.store);
    const { id: parent } = home.parent;
    const names = { [parent]: owner, [child]: `conversation ${parent} at ${owner}` };
    for (const [id, name] of Object.entries(names))
      await expect(open(home.store, { id, agent: new ScriptedAgent() })).rejects.toMatchObject({
        code: 'OWNED',
        cause: { code: 'OWNED', owner: { owner: name } },
      });
    await home.parent.interrupt();
    await running;
  });
});

describe('taking a run up', () => {
  test('resumeRun goes on to the end, executes what the policy allows, and nothing twice', async () => {
    const left = await orphan(inSecondCall);
    const { conversation, agent } = await left.adopt();
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect(await story(conversation, 5)).toBe('result error result agent');
    expect(agent.begun).toHaveLength(1);
    for (const id of agent.begun) expect(left.agent.begun).not.toContain(id);
    expect(conversation.interruptedRun).toBe(false);
  });

  test('resumeRun asks the model again after a death before the model had answered', async () => {
    const left = await orphan((die) => ({ think: () => die() }));
    const { conversation } = await left.adopt();
    expect(await story(conversation)).toBe('system user');
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect(await texts(conversation)).toEqual(['go', 'done']);
  });

  test('resumeRun without a kept run is a run that has nothing to do', async () => {
    const { conversation, store } = await play({}, { interruptedRun: 'resume' });
    expect(await conversation.resumeRun()).toEqual({ status: 'idle', iterations: 0 });
    await conversation.sendMessage('go');
    const { appends } = store;
    expect(await conversation.resumeRun()).toEqual({ status: 'idle', iterations: 0 });
    expect(store.appends).toBe(appends);
    expect((await conversation.run()).status).toBe('finished');
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 0 });
  });

  test('resumeRun rejects BUSY during a run, and CLOSED after the end', async () => {
    const { conversation } = await play();
    await conversation.sendMessage('go');
    const running = conversation.run();
    await expect(conversation.resumeRun()).rejects.toMatchObject({ code: 'BUSY' });
    await running;
    await conversation.close();
    await expect(conversation.resumeRun()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(conversation.resumeRun({ maxIterations: 0 })).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('P10: a fork of a conversation that runs has no run to resume', async () => {
    const left = await orphan(inSecondCall);
    const { conversation } = await left.adopt();
    const id = await conversation.history.fork();
    const { conversation: fork, agent } = await adopt(left.store, id);
    expect([fork.interruptedRun, (await fork.resumeRun()).iterations, agent.begun]).toEqual([false, 0, []]);
    expect(fork.state.executionStatus).not.toBe('running');
  });

  test('a child conversation comes to rest, even while its parent is resumed', async () => {
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
    expect((await parent.resumeRun()).status).toBe('finished');
    expect(JSON.stringify(await parent.events.slice())).toContain(`can be continued by id: \\"${id}\\"`);
  });

  test('a run that another program left running comes to rest', async () => {
    const { conversation, store } = await play();
    await conversation.sendMessage('go');
    await conversation.state.update({ set: { executionStatus: 'running' } });
    await conversation.close();
    const agent = new ScriptedAgent();
    const again = await open(store, { id: conversation.id, agent, interruptedRun: 'resume' });
    expect([again.interruptedRun, again.state.executionStatus]).toEqual([false, 'paused']);
  });
});

describe('a run that is kept', () => {
  test.each(['pause', 'interrupt', 'cancelScheduledRun'] as const)(
    'a run that is kept is settled by %s',
    async (command) => {
      const left = await orphan((die) => ({ think: () => die() }));
      const { conversation, agent } = await left.adopt();
      await conversation[command]();
      expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual(['paused', false]);
      expect(await story(conversation)).toBe('system user pause');
      expect(await conversation.resumeRun()).toEqual({ status: 'paused', iterations: 0 });
      expect(agent.requests).toBe(0);
    },
  );

  test('a kept run stays kept when it is closed, and the next process resumes it', async () => {
    const left = await orphan((die) => ({ think: () => die() }));
    await (await left.adopt()).conversation.close();
    const { conversation } = await left.adopt();
    expect(conversation.interruptedRun).toBe(true);
    expect((await conversation.resumeRun()).status).toBe('finished');
  });

  test('a kept run goes on where its store failed: an end that could not be stored is no end', async () => {
    const { conversation, store, agent } = await play(
      { think: ({ number }) => (number === 1 ? ['work'] : 'done'), call: () => store.refuse() },
      { interruptedRun: 'resume' },
    );
    await conversation.sendMessage('go');
    await expect(conversation.run()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    store.onAppend = undefined;
    expect(conversation.interruptedRun).toBe(true);
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await story(conversation, 2)).toBe('action error agent');
    expect(agent.begun).toHaveLength(1);
  });

  test('a command behind a store that failed does not settle a kept run, which answers a new message', async () => {
    const { conversation, store } = await play(
      { think: ({ number }) => (number === 1 ? ['work', 'work'] : 'done'), call: () => store.refuse() },
      { interruptedRun: 'resume' },
    );
    await conversation.sendMessage('go');
    await conversation.run().catch(() => {});
    store.onAppend = undefined;
    expect(await conversation.sendMessage('and this')).toMatchObject({ queued: true });
    expect([conversation.interruptedRun, conversation.state.calls]).toEqual([true, {}]);
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await story(conversation, 2)).toBe('action action error reject user agent');
  });

  test("a kept run is forgotten once it is settled, and another program's run is not taken for it", async () => {
    const left = await orphan(inSecondCall);
    const { conversation } = await left.adopt();
    await conversation.cancelScheduledRun();
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    await conversation.state.update({ set: { executionStatus: 'running' } });
    await conversation.close();
    const { conversation: again, agent } = await left.adopt();
    expect([again.interruptedRun, again.state.executionStatus]).toEqual([false, 'paused']);
    expect(errorOf(await again.events.at(-2))).toContain('outcome is unknown');
    expect(agent.begun).toEqual([]);
  });
});
