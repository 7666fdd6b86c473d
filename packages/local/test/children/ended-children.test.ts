import { isEvent } from '@conv/core/events';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { gate, never, open, story } from '../support/bench.ts';
import { CALL, childIds, family, helper, stored, task, type Family } from '../support/family.ts';
import type { ScriptedAgent } from '../support/scripted-agent.ts';

/** Returns the text that the model reads for the interrupted call. */
async function result({ events }: LocalConversation): Promise<string> {
  const event = (await events.slice()).findLast((one) => isEvent(one, 'AgentErrorEvent'));
  return event?.error ?? '';
}

/** Opens a family whose call starts a child that never ends, and ends by `end` itself. `call`: the call that the child is started for. */
async function impatient(end: () => string, call?: typeof CALL): Promise<{ home: Family; agent: ScriptedAgent }> {
  const held = gate();
  const agent = helper({ think: () => held.pass().then(never) });
  const home = await family({
    tasks: [],
    script: {
      think: ({ number }) => (number === 1 ? ['work'] : 'done'),
      call: async (_, signal, { tool_call_id: toolCallId }) => {
        const working = home.children().run(task(agent), call ?? { signal, toolCallId });
        working.catch(() => {});
        await held.reached;
        return end();
      },
    },
  });
  return { home, agent };
}

describe('P7: the work of a child ends with its parent', () => {
  test.each([
    ['interrupt', 'paused'],
    ['close', 'paused'],
  ] as const)('%s', async (end, status) => {
    const held = gate();
    const agent = helper({
      think: ({ number }) => (number === 1 ? ['work'] : 'helped'),
      call: async () => {
        await held.pass();
        await never();
      },
    });
    const home = await family({ tasks: [task(agent)] });
    const going = home.go();
    await held.reached;
    await home.parent[end]();
    const [id = ''] = await childIds(home.store);
    const own = await open(home.store, { id, agent });
    // the child was settled and given up before the parent had ended
    expect(await story(own)).toBe('system user action error interrupt');
    expect(own.state.executionStatus).toBe('paused');
    expect((await own.run()).status).toBe('finished');
    await own.close();
    expect((await going).status).toBe(status);
    const parent = end === 'close' ? await open(home.store, { id: home.parent.id, agent: home.agent }) : home.parent;
    expect(await story(parent)).toBe('system user action error interrupt');
    expect(parent.state.stats[`task:${own.id}`]).toMatchObject({ calls: end === 'close' ? 2 : 1 });
    // the model reads how to have it go on
    expect(await result(parent)).toContain(own.id);
    expect((await parent.run()).status).toBe('finished');
  });

  test('P7: the work of a child ends with its parent even if a tool does not wait for it', async () => {
    const { home, agent } = await impatient(() => 'begun', CALL);
    expect((await home.go()).status).toBe('finished');
    const [id = ''] = await childIds(home.store);
    expect((await stored(home.store, id)).executionStatus).toBe('paused');
    await (await open(home.store, { id, agent })).close();
  });

  test('P7: a call that ends first with an error, such as a timeout, names the child that ends', async () => {
    const { home } = await impatient(() => {
      throw new Error('it took too long');
    });
    await home.go();
    const [id = ''] = await childIds(home.store);
    expect(await result(home.parent)).toContain('it took too long Its sub-conversations are kept');
    expect(await result(home.parent)).toContain(id);
  });

  test('P7: the work of a child ends with its parent even while the child is being opened', async () => {
    const held = gate();
    const store = new FaultyStore();
    const home = await family({ tasks: [task(helper())], store });
    store.onAppend = (number) => (number > 4 ? held.pass() : undefined);
    const going = home.go();
    await held.reached;
    const ended = home.parent.interrupt();
    held.open();
    await ended;
    expect((await going).status).toBe('paused');
    await home.parent.close();
  });
});
