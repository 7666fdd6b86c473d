import { isConversationError } from '@conv/core';
import { StoreError } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { OUTCOME_UNKNOWN } from '../src/interrupted-calls.ts';
import { gate, open, play, story } from './bench.ts';
import { ScriptedAgent, type Request } from './scripted-agent.ts';

const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');

/** Appends that a message and a run with two calls make: settings and events before them are stored. */
const APPENDS = 7;

describe('a store that fails', () => {
  test('P1: at one append rejects the command with STORE_FAILED; the same conversation then goes on, no call runs twice', async () => {
    for (let failing = 2; failing <= APPENDS; failing++) {
      const { conversation, store, agent } = await play({ think: twoCalls });
      store.onAppend = (number) => {
        if (number === failing) throw new StoreError('UNAVAILABLE', 'once');
      };
      const sent = await conversation.sendMessage('go').catch((error: unknown) => error);
      if (isConversationError(sent)) {
        expect(sent.code).toBe('STORE_FAILED');
        expect(conversation.events.length).toBe(0);
        await conversation.sendMessage('go');
      }
      const ran: unknown = await conversation.run().catch((error: unknown) => error);
      if (ran instanceof Error) {
        expect(ran).toMatchObject({ code: 'STORE_FAILED', conversationId: conversation.id });
        expect(conversation.state.executionStatus).not.toBe('running');
        expect((await conversation.run()).status).toBe('finished');
      }
      expect(conversation.state.executionStatus).toBe('finished');
      expect(conversation.state.pendingActions).toEqual([]);
      expect(new Set(agent.begun).size, `append ${failing}: ${await story(conversation)}`).toBe(agent.begun.length);
      await conversation.close();
    }
  });

  test('P4: from one append on for good loses nothing that was acknowledged: the next to open it goes on', async () => {
    for (let failing = 2; failing <= APPENDS; failing++) {
      const { conversation, store, agent } = await play({ think: twoCalls });
      store.onAppend = (number) => {
        if (number >= failing) throw new StoreError('FULL', 'disk');
      };
      const sent = await conversation.sendMessage('go').catch(() => undefined);
      await conversation.run().catch((error: unknown) => expect(error).toMatchObject({ code: 'STORE_FAILED' }));
      const events = await conversation.events.slice();
      await conversation.close().catch(() => {});
      store.onAppend = undefined;
      const next = new ScriptedAgent();
      const again = await open(store, { agent: next, id: conversation.id });
      expect(await again.events.slice(0, events.length)).toEqual(events);
      if (sent) expect((await again.run()).status).toBe('finished');
      for (const id of next.begun) expect(agent.begun).not.toContain(id);
      await again.close();
    }
  });

  test('P5: at the result of a call: in the same process the call is not run again', async () => {
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
    expect(await conversation.events.at(4)).toMatchObject({ error: OUTCOME_UNKNOWN });
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
  });

  test.each(['pause', 'approve', 'reject'] as const)(
    'leaves nothing behind that %s does not settle',
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
  test('has its run cancelled with FENCED at once, also during a tool that ignores its signal', async () => {
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

  test('whose answer was lost for good rejects STORE_FAILED with the reason, not FENCED', async () => {
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
