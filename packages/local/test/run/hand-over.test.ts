import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story } from '../support/bench.ts';
import { childIds, family, stored, task } from '../support/family.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

/** Long enough that a test which waits for it fails. */
const LONG = 2 ** 40;

/** An agent that is done after the calls of its first response. */
const twoCalls = (script: Script): Script => ({
  think: ({ number }) => (number === 1 ? ['work', 'work'] : 'done'),
  ...script,
});

describe('closing a conversation and leaving its run', () => {
  test('P4: a leaving process ends its step, logs nothing of it, and another process finishes the run', async () => {
    const working = gate();
    const { conversation, store, agent } = await play(twoCalls({ call: () => working.pass() }));
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    const closing = conversation.close({ runs: 'leave', grace: LONG });
    working.open();
    await closing;
    expect(await running).toEqual({ status: 'running', iterations: 1 });
    expect((await stored(store, conversation.id)).executionStatus).toBe('running');
    const next = new ScriptedAgent();
    const again = await open(store, { id: conversation.id, agent: next, interruptedRun: 'resume' });
    expect(await story(again, 2)).toBe('action action result result');
    expect(await again.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect([agent.begun.length, next.begun.length, agent.requests]).toEqual([2, 0, 1]);
  });

  test('P5: leaving cancels what still works when the grace is over, as if the process had ended', async () => {
    const working = gate();
    const { conversation, store, agent } = await play(
      twoCalls({
        call: async () => {
          await working.pass();
          return never();
        },
      }),
    );
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.close({ runs: 'leave', grace: 1 });
    expect(await running).toEqual({ status: 'running', iterations: 1 });
    const next = new ScriptedAgent();
    const again = await open(store, { id: conversation.id, agent: next, interruptedRun: 'resume' });
    expect(await story(again, 2)).toBe('action action error');
    expect(again.state.pendingActions).toHaveLength(1);
    expect((await again.resumeRun()).status).toBe('finished');
    expect(await story(again, 2)).toBe('action action error result agent');
    for (const id of next.begun) expect(agent.begun).not.toContain(id);
  });

  test('leaving without a grace cancels a model at once', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      think: async () => {
        await asked.pass();
        return never();
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.close({ runs: 'leave' });
    expect(await running).toEqual({ status: 'running', iterations: 0 });
    const again = await open(store, { id: conversation.id, agent: new ScriptedAgent(), interruptedRun: 'resume' });
    expect(await story(again)).toBe('system user');
    expect((await again.resumeRun()).status).toBe('finished');
  });

  test('leaving lets a run end that comes to its end by itself', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      think: async () => {
        await asked.pass();
        return 'done';
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    const closing = conversation.close({ runs: 'leave', grace: LONG });
    asked.open();
    await closing;
    expect(await running).toEqual({ status: 'finished', iterations: 1 });
    expect((await stored(store, conversation.id)).executionStatus).toBe('finished');
  });

  test('leaving hands the answer to the newest message to the next process', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      think: async () => {
        await asked.pass();
        return 'done';
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.sendMessage('and this');
    const closing = conversation.close({ runs: 'leave', grace: LONG });
    asked.open();
    await closing;
    expect((await running).status).toBe('running');
    const again = await open(store, { id: conversation.id, agent: new ScriptedAgent(), interruptedRun: 'resume' });
    expect((await again.resumeRun()).status).toBe('finished');
    expect(await story(again, 1)).toBe('user agent user agent');
  });

  test('the next process starts a requested run that has not begun', async () => {
    const { conversation, store } = await play();
    const forking = gate();
    store.onFork = () => forking.pass();
    await conversation.sendMessage('go');
    const forked = conversation.history.fork();
    await forking.reached;
    // it waits for the fork, which must not see it begin
    const running = conversation.run();
    await conversation.close({ runs: 'leave' });
    expect(await running).toEqual({ status: 'running', iterations: 0 });
    forking.open();
    await forked;
    const again = await open(store, { id: conversation.id, agent: new ScriptedAgent(), interruptedRun: 'resume' });
    expect(await story(again)).toBe('system user');
    expect(await again.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
  });

  test('an earlier request to interrupt is recorded', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      think: async () => {
        await asked.pass();
        return never();
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    const interrupted = conversation.interrupt();
    await Promise.all([conversation.close({ runs: 'leave' }), interrupted]);
    expect((await running).status).toBe('paused');
    expect((await stored(store, conversation.id)).executionStatus).toBe('paused');
  });

  test('leaving without a run is closing', async () => {
    const { conversation, store } = await play();
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.close({ runs: 'leave', grace: LONG });
    await (await store.open(conversation.id, { create: 'never', owner: 'next' })).close();
  });

  test('closing interrupts the run by default', async () => {
    const asked = gate();
    const { conversation } = await play({
      think: async () => {
        await asked.pass();
        return never();
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.close();
    expect((await running).status).toBe('paused');
  });

  test.each([
    ['runs', { runs: 'finish' as never }],
    ['grace', { runs: 'leave', grace: -1 }],
    ['grace', { grace: Number.NaN }],
    ['grace', { grace: 'soon' as never }],
    ['beforeLeaving', { beforeLeaving: true as never }],
  ] as const)('P13: leaving refuses a wrong %s and closes nothing', async (name, options) => {
    const { conversation } = await play();
    await expect(conversation.close(options)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(name) as string,
    });
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('finished');
  });

  test('leaving calls beforeLeaving as the owner, and gives the conversation up even if that rejects', async () => {
    const { conversation, store } = await play();
    const next = { id: conversation.id, agent: new ScriptedAgent() };
    const beforeLeaving = async (): Promise<void> => {
      await expect(open(store, next)).rejects.toMatchObject({ code: 'OWNED' });
      throw new Error('the container does not stop');
    };
    await expect(conversation.close({ runs: 'leave', beforeLeaving })).rejects.toThrow('the container does not stop');
    await (await open(store, next)).close();
  });

  test('leaving interrupts a goal, so that the next process can resume it with the run', async () => {
    const working = gate();
    const { conversation, store } = await play(
      twoCalls({ call: () => working.pass(), judge: () => ({ score: 1, complete: true }) }),
    );
    const pursued = conversation.goal.pursue('Ship it.');
    await working.reached;
    const closing = conversation.close({ runs: 'leave', grace: LONG });
    working.open();
    await closing;
    expect(await pursued).toEqual({ status: 'interrupted', rounds: 0 });
    const agent = new ScriptedAgent({ judge: () => ({ score: 1, complete: true }) });
    const again = await open(store, { id: conversation.id, agent, interruptedRun: 'resume' });
    expect([again.interruptedRun, again.goal.status?.status]).toEqual([true, 'interrupted']);
    expect((await again.resumeRun()).status).toBe('finished');
    expect(await again.goal.resume()).toMatchObject({ status: 'complete', rounds: 1 });
    expect(agent.requests).toBe(1);
  });

  test('a judge that hangs keeps leaving no longer than the grace', async () => {
    const asked = Promise.withResolvers<void>();
    const { conversation } = await play({
      judge: () => {
        asked.resolve();
        return never();
      },
    });
    const pursued = conversation.goal.pursue('Ship it.');
    await asked.promise;
    await conversation.close({ runs: 'leave', grace: LONG });
    expect(await pursued).toMatchObject({ status: 'interrupted' });
  });

  test('child conversations come to rest, and the result of the call names them', async () => {
    const working = gate();
    const home = await family({
      tasks: [
        task(
          new ScriptedAgent({
            think: async () => {
              await working.pass();
              return never();
            },
          }),
        ),
      ],
    });
    const running = home.go();
    await working.reached;
    await home.parent.close({ runs: 'leave' });
    expect((await running).status).toBe('running');
    const [child = ''] = await childIds(home.store);
    const again = await open(home.store, {
      id: home.parent.id,
      agent: new ScriptedAgent(),
      interruptedRun: 'resume',
    });
    const [error] = (await again.events.slice()).filter((event) => isEvent(event, 'AgentErrorEvent'));
    expect(error?.error).toContain(child);
    const own = await open(home.store, { id: child, agent: new ScriptedAgent(), interruptedRun: 'resume' });
    expect([own.interruptedRun, own.state.executionStatus]).toEqual([false, 'paused']);
  });
});
