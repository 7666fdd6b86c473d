import { isConversationError } from '@conv/core';
import { StoreError } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { gate, open, play, story } from '../support/bench.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');

/** The appends of a message and a run with two calls, after the append that creates the conversation. */
const EACH_APPEND = [2, 3, 4, 5, 6, 7];

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (isConversationError(error) ? error.code : String(error)),
  );
}

describe('a store that fails', () => {
  test.each(EACH_APPEND)(
    'P1: a store that fails at append %d alone refuses one command, and the conversation goes on',
    async (failing) => {
      const { conversation, store, agent } = await play({ think: twoCalls });
      store.onAppend = (number) => {
        if (number === failing) throw new StoreError('UNAVAILABLE', 'once');
      };
      const outcomes = [
        await codeOf(conversation.sendMessage('go')),
        await codeOf(conversation.run()),
        await codeOf(conversation.run()),
      ];
      expect(outcomes.filter((code) => code !== 'fine')).toEqual(['STORE_FAILED']);
      expect(conversation.state.executionStatus).not.toBe('running');
      await conversation.sendMessage('and on');
      expect((await conversation.run()).status).toBe('finished');
      expect(conversation.state.pendingActions).toEqual([]);
      expect(new Set(agent.begun).size).toBe(agent.begun.length);
    },
  );

  test.each(EACH_APPEND)(
    'P4: a store that fails from append %d on loses nothing that was acknowledged',
    async (failing) => {
      const { conversation, store, agent } = await play({ think: twoCalls });
      store.onAppend = (number) => {
        if (number >= failing) throw new StoreError('FULL', 'disk');
      };
      const outcomes = [await codeOf(conversation.sendMessage('go')), await codeOf(conversation.run())];
      expect(outcomes).toContain('STORE_FAILED');
      const events = await conversation.events.slice();
      await conversation.close();
      store.onAppend = undefined;
      const next = new ScriptedAgent();
      const again = await open(store, { agent: next, id: conversation.id });
      expect(await again.events.slice(0, events.length)).toEqual(events);
      await again.sendMessage('and on');
      expect((await again.run()).status).toBe('finished');
      for (const id of next.begun) expect(agent.begun).not.toContain(id);
    },
  );

  test('P5: a store that fails at the result of a call does not make the same process run the call again', async () => {
    const working = gate();
    const { conversation, store, agent } = await play({ think: twoCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    store.refuse();
    working.open();
    await expect(running).rejects.toMatchObject({ code: 'STORE_FAILED' });
    store.onAppend = undefined;
    // what the run could not store is settled by the next command, whichever it is
    expect((await conversation.sendMessage('what happened?')).queued).toBe(false);
    expect(conversation.state.executionStatus).toBe('idle');
    expect(await story(conversation, 2)).toBe('action action error reject user');
    expect(await conversation.events.at(4)).toMatchObject({
      error: expect.stringContaining('outcome is unknown') as string,
    });
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
  });

  test('P5: a failing store leaves nothing behind that the next run takes for its own', async () => {
    const working = gate();
    const { conversation, store, agent } = await play({ think: twoCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    store.refuse();
    working.open();
    await running.catch(() => {});
    store.onAppend = undefined;
    expect((await conversation.run()).status).toBe('finished');
    expect(await story(conversation, 4)).toBe('error result agent');
    expect(new Set(agent.begun).size).toBe(2);
  });

  test.each(['pause', 'approve', 'reject'] as const)(
    'a failing store leaves nothing behind that %s does not settle',
    async (command) => {
      const working = gate();
      const { conversation, store, agent } = await play({ think: twoCalls, call: () => working.pass() });
      await conversation.sendMessage('go');
      const running = conversation.run();
      await working.reached;
      store.refuse();
      working.open();
      await running.catch(() => {});
      store.onAppend = undefined;
      await conversation[command]();
      expect(await story(conversation, 4)).toBe(command === 'reject' ? 'error reject' : 'error');
      expect(conversation.state.executionStatus).toBe(command === 'reject' ? 'idle' : 'waiting_for_confirmation');
      await conversation.run();
      expect(agent.begun).toHaveLength(command === 'reject' ? 1 : 2);
    },
  );
});

describe('P2: a writer that lost its conversation', () => {
  test('P2: a fenced writer has its run cancelled with FENCED at once, even during a deaf tool', async () => {
    const working = gate();
    const { conversation, store } = await play({ think: twoCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    store.fenceOff();
    await expect(running).rejects.toMatchObject({ code: 'FENCED' });
    await expect(conversation.sendMessage('late')).rejects.toMatchObject({ code: 'FENCED' });
    await expect(conversation.run()).rejects.toMatchObject({ code: 'FENCED' });
    await expect(conversation.settings.setTitle('t')).rejects.toMatchObject({ code: 'FENCED' });
    expect(await story(conversation, 2)).toBe('action action');
    await conversation.close();
  });

  test('P2: a writer whose answer was lost for good rejects STORE_FAILED with the reason, not FENCED', async () => {
    const { conversation, store } = await play();
    await conversation.sendMessage('go');
    store.refuse('OUTCOME_UNKNOWN');
    await expect(conversation.run()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      cause: { code: 'OUTCOME_UNKNOWN' },
    });
    await conversation.close();
  });
});
