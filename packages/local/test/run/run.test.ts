import { isConversationError } from '@conv/core';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story } from '../support/bench.ts';
import { ScriptedAgent, toAction } from '../support/scripted-agent.ts';

describe('a run', () => {
  test('a run is refused its first message when the tools cannot be made, and accepts it when they can', async () => {
    let broken = true;
    const start = (): void => {
      if (broken) throw new Error('no shell here');
    };
    const { conversation } = await play({ start });
    await expect(conversation.sendMessage('go')).rejects.toThrow('no shell here');
    expect(conversation.events.length).toBe(0);
    broken = false;
    await conversation.sendMessage('go');
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 1 });
  });

  test('a run that is to answer a message does not begin when something came after the message', async () => {
    const { conversation, agent } = await play({ think: () => Promise.reject(new Error('no model')) });
    const { id: answers } = await conversation.sendMessage('go');
    await expect(conversation.run({ answers: 'another' })).rejects.toMatchObject({ code: 'BUSY' });
    await expect(conversation.run({ answers })).rejects.toMatchObject({ code: 'RUN_FAILED' });
    await expect(conversation.run({ answers })).rejects.toMatchObject({ code: 'BUSY' });
    expect([agent.requests, conversation.state.executionStatus]).toEqual([1, 'error']);
  });

  test('a reopened conversation records that its tools cannot be made, and the next run tries again', async () => {
    const { conversation, store, agent } = await play();
    await conversation.sendMessage('go');
    await conversation.close();
    let broken = true;
    const start = (): void => {
      if (broken) throw new Error('no shell here');
    };
    const again = await open(store, { agent: new ScriptedAgent({ start }), id: conversation.id });
    await expect(again.run()).rejects.toMatchObject({
      code: 'RUN_FAILED',
      message: expect.stringMatching(/stored in the store that it was opened with, failed: no shell/) as string,
    });
    expect(again.state.executionStatus).toBe('error');
    expect(await story(again, 2)).toBe('failure');
    expect(agent.requests).toBe(0);
    broken = false;
    expect((await again.run()).status).toBe('finished');
  });

  test('a run goes on when a tool fails around its call, answers another call, or gives an invalid answer', async () => {
    const results: Record<string, () => unknown> = {
      throws: () => Promise.reject(new Error('broken pipe')),
      strays: () => ({ kind: 'AgentErrorEvent', source: 'agent', tool_name: 'x', tool_call_id: 'other', error: 'e' }),
      floods: () => 'x'.repeat(2 ** 21),
    };
    const { conversation } = await play({
      think: ({ number }) => (number === 1 ? ['throws', 'strays', 'floods', 'work'] : 'done'),
      call: (tool) => results[tool]?.(),
    });
    await conversation.sendMessage('go');
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 2 });
    expect(await story(conversation, 2)).toBe('action action action action error error error result agent');
    const errors = (await conversation.events.slice(6, 9)).map((event) => (event as { error?: string }).error);
    expect(errors[0]).toBe('broken pipe');
    expect(errors[2]).toContain('EVENT_TOO_LARGE');
  });

  test('a run keeps a failure of any length in the log, shortened', async () => {
    const { conversation } = await play({ think: () => Promise.reject(new Error('e'.repeat(2 ** 21))) });
    await conversation.sendMessage('go');
    await expect(conversation.run()).rejects.toMatchObject({ code: 'RUN_FAILED' });
    expect(conversation.state.executionStatus).toBe('error');
    expect(await story(conversation, 2)).toBe('failure');
  });

  test('a run that fails has its first error as cause and names the conversation', async () => {
    const cause = new TypeError('first');
    const { conversation } = await play({ think: () => Promise.reject(cause) });
    await conversation.sendMessage('go');
    const error: unknown = await conversation.run().catch((reason: unknown) => reason);
    expect(isConversationError(error, 'RUN_FAILED') && error.cause).toBe(cause);
    expect(isConversationError(error) && error.conversationId).toBe(conversation.id);
  });

  test('a run that fails behind its answer leaves the calls to the next run, which begins them first', async () => {
    const { conversation, agent } = await play({
      think: async ({ number, context }) => {
        if (number > 1) return 'done';
        await context.emit([toAction('work', 'response'), toAction('work', 'response')]);
        throw new Error('too late to think');
      },
    });
    await conversation.sendMessage('go');
    await expect(conversation.run()).rejects.toMatchObject({ code: 'RUN_FAILED' });
    expect(await story(conversation, 2)).toBe('action action failure');
    expect(conversation.state.pendingActions).toHaveLength(2);
    expect((await conversation.run()).status).toBe('finished');
    expect(await story(conversation, 5)).toBe('result result agent');
    expect(agent.begun).toHaveLength(2);
  });

  test('a run rejects BUSY during another run, also when both are asked for at once', async () => {
    const { conversation, agent } = await play();
    await conversation.sendMessage('go');
    const [first, second] = await Promise.allSettled([conversation.run(), conversation.run()]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { status: 'finished' } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'BUSY' } });
    expect(agent.requests).toBe(1);
  });

  test('a run counts responses, not requests, and stops at the limit unless it is finished', async () => {
    const asked = gate();
    const { conversation } = await play({
      think: async ({ number }) => {
        if (number === 3) await asked.pass();
        return number === 4 ? 'done' : ['work'];
      },
    });
    await conversation.sendMessage('go');
    expect(await conversation.run({ maxIterations: 2 })).toMatchObject({ status: 'error', iterations: 2 });
    const running = conversation.run({ maxIterations: 1 });
    await asked.reached;
    await conversation.interrupt();
    expect(await running).toEqual({ status: 'paused', iterations: 0 });
    expect(await conversation.run({ maxIterations: 1 })).toEqual({ status: 'finished', iterations: 1 });
  });

  test.each([0, -1, 1.5, Number.NaN])(
    'a run rejects INVALID_INPUT for a limit of %d and changes nothing',
    async (limit) => {
      const { conversation, store } = await play();
      await conversation.sendMessage('go');
      const { appends } = store;
      await expect(conversation.run({ maxIterations: limit })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(store.appends).toBe(appends);
    },
  );

  test('a run waits for subscribers at its end, but not longer than the grace', async () => {
    const { conversation } = await play();
    conversation.subscribe({ onEvent: never });
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('finished');
  });

  test('a run that is asked for inside a transaction rejects DEADLOCK', async () => {
    const { conversation } = await play();
    await conversation.sendMessage('go');
    await conversation.state.transaction(async () => {
      await expect(conversation.run()).rejects.toMatchObject({ code: 'DEADLOCK' });
    });
    expect((await conversation.run()).status).toBe('finished');
  });

  test('an abandoned step of a run can write nothing', async () => {
    const asked = gate();
    const late = Promise.withResolvers<unknown>();
    const { conversation } = await play({
      think: async ({ number, context }) => {
        if (number > 1) return 'done';
        await asked.pass();
        context.setAgentState({ late: true }).then(late.resolve, late.resolve);
        return 'too late';
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.interrupt();
    await running;
    asked.open();
    expect(await late.promise).toMatchObject({ code: 'CLOSED' });
    expect(await story(conversation, 2)).toBe('interrupt');
    expect(conversation.state.agentState).toEqual({});
  });
});
