import type { Visualizer } from '@conv/core';
import { isEvent } from '@conv/core/events';
import type { ChildResult, ChildTask } from '@conv/core/tool';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { gate, never, open, story, texts } from '../support/bench.ts';
import { childIds, delegatingAgent, family, ok, stored, task } from '../support/family.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

/** A call of the test's own. */
const CALL = { signal: new AbortController().signal, toolCallId: 'call' };

function helper(script: Script = {}): ScriptedAgent {
  return new ScriptedAgent(script);
}

/** A child that calls one tool and says what came of it. */
const calling = { think: ({ number }: { number: number }) => (number === 1 ? ['work'] : 'helped') } as const;

describe('a conversation that works for another one', () => {
  test('answers it, and is a conversation of the same store with a log of its own', async () => {
    const agent = helper(calling);
    const home = await family({ tasks: [task(agent, { title: 'Helping', tags: { subagent: 'helper' } })] });
    expect((await home.go()).status).toBe('finished');
    const child = ok(home.results[0]);
    expect(child).toEqual({ id: child.id, status: 'finished', answer: 'helped', pending: [] });
    expect(await story(home.parent)).toBe('system user action result agent');
    const listed = (await home.store.list()).items.find(({ id }) => id === child.id);
    expect(listed).toMatchObject({ parentId: home.parent.id, title: 'Helping', tags: { subagent: 'helper' } });
    expect((await stored(home.store, child.id)).workspace).toEqual(home.parent.state.workspace);
    const own = await open(home.store, { id: child.id, agent });
    expect(await story(own)).toBe('system user action result agent');
  });

  test('is found by its id, by its parent alone', async () => {
    const home = await family({ tasks: [task(helper(), { tags: { subagent: 'helper' } })] });
    await home.go();
    const { id } = ok(home.results[0]);
    const found = { id, title: null, tags: { subagent: 'helper' }, status: 'finished' };
    expect(await home.children().find(id)).toEqual(found);
    const other = await family({ tasks: [], store: home.store });
    await other.go();
    expect(await other.children().find(id)).toBeUndefined();
    expect(await home.children().find(home.parent.id)).toBeUndefined();
    expect(await home.children().find('no id')).toBeUndefined();
    for (const unknown of [id, 'no id'])
      await expect(other.children().run({ prompt: 'help', id: unknown }, CALL)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
  });

  test('goes on with its whole history when it is resumed by its id', async () => {
    const agent = helper({ think: ({ view }) => `seen ${view.length}` });
    const home = await family({ tasks: [task(agent)] });
    await home.go();
    const { id } = ok(home.results[0]);
    const again = await home.children().run({ prompt: 'more', id, agent }, CALL);
    expect(again).toMatchObject({ id, status: 'finished', answer: 'seen 4' });
    const own = await open(home.store, { id, agent });
    expect(await texts(own)).toEqual(['help', 'seen 2', 'more', 'seen 4']);
  });

  test('hands its parent the newest answer when it is resumed after a finish call', async () => {
    const agent = helper({ think: ({ number }) => (number === 1 ? ['finish'] : 'Rome') });
    const home = await family({ tasks: [task(agent)] });
    await home.go();
    const { id, answer } = ok(home.results[0]);
    expect(answer).toBe('finished');
    expect(await home.children().run({ prompt: 'and Italy?', id, agent }, CALL)).toMatchObject({ answer: 'Rome' });
  });

  test('is waited for while another process owns it for a moment', async () => {
    const agent = helper();
    const store = new FaultyStore();
    const home = await family({ tasks: [task(agent)], store });
    await home.go();
    const { id } = ok(home.results[0]);
    const held = await store.open(id, { create: 'never', owner: 'another opener' });
    const open = store.open.bind(store);
    let refused = 0;
    store.open = (...given) =>
      open(...given).catch(async (error: unknown) => {
        refused++;
        await held.close();
        throw error;
      });
    expect(await home.children().run({ prompt: 'more', id, agent }, CALL)).toMatchObject({ id, status: 'finished' });
    expect(refused).toBe(1);
  });

  test('is found again with its agent by the runtime after a restart, and costs what it costs once', async () => {
    const agent = helper();
    const home = await family({ tasks: [task(agent)] });
    await home.go();
    const { id } = ok(home.results[0]);
    await home.parent.close();
    const later = await family({
      tasks: [{ prompt: 'more', id }],
      store: home.store,
      options: { id: home.parent.id },
      runtime: { agents: { revive: async () => agent } },
    });
    await later.go();
    expect(ok(later.results[0])).toMatchObject({ id, status: 'finished' });
    expect(later.parent.state.stats[`task:${id}`]).toMatchObject({ calls: 2, cost: 0.02 });
    expect(later.parent.state.metrics.totalCost).toBeCloseTo(0.06);
  });

  test('says why it ended early: an error of one task is nothing to the others', async () => {
    const failing = helper({
      think: () => {
        throw new Error('no model here');
      },
    });
    const home = await family({ tasks: [task(failing), task(helper())] });
    expect((await home.go()).status).toBe('finished');
    const [failed, fine] = home.results
      .map((result) => ok(result))
      .toSorted((one) => (one.status === 'error' ? -1 : 1));
    expect(failed).toMatchObject({
      status: 'error',
      answer: '',
      error: expect.stringContaining('no model here') as string,
    });
    expect(fine).toMatchObject({ status: 'finished', answer: 'done' });
  });

  test('has limits of its own for a task', async () => {
    const busy = helper({ think: () => ['work'] });
    const home = await family({ tasks: [task(busy, { limits: { maxIterations: 2 } })] });
    await home.go();
    const { id, error } = ok(home.results[0]);
    expect(error).toContain('2');
    expect(busy.requests).toBe(2);
    await home.children().run({ prompt: 'more', id, agent: busy, maxIterations: 1 }, CALL);
    expect(busy.requests).toBe(3);
  });

  test('P13: a child whose agent has no start() rejects INVALID_INPUT and is not made', async () => {
    const home = await family({ tasks: [] });
    await home.go();
    await expect(home.children().run(task({} as never), CALL)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('expected an Agent with start()'),
    });
    expect((await home.store.list()).items).toHaveLength(1);
  });

  test('P13: an invalid task is refused before anything is made', async () => {
    const home = await family({ tasks: [] });
    await home.go();
    const wrong: Partial<ChildTask>[] = [
      { prompt: ' ' },
      { limits: { maxTurns: 3 } as never },
      { limits: { maxBudget: 0 } },
      { maxIterations: 0 },
      { tags: { 'Not a tag': 'x' } },
      { confirmationPolicy: { kind: 'Sometimes' as 'AlwaysConfirm' } },
    ];
    for (const more of wrong)
      await expect(home.children().run(task(helper(), more), CALL)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    await expect(home.children().run({ prompt: 'help' }, CALL)).rejects.toMatchObject({
      code: 'AGENT_REQUIRED',
    });
    expect((await home.store.list()).items).toHaveLength(1);
    expect(home.parent.state.agentState).toEqual({});
  });

  test('may have others work for it, down to a depth', async () => {
    let agent: ScriptedAgent | ReturnType<typeof delegatingAgent> = helper();
    const levels: (ChildResult | Error)[][] = [];
    for (let level = 0; level < 6; level++) {
      const results: (ChildResult | Error)[] = [];
      levels.push(results);
      agent = delegatingAgent([task(agent)], results);
    }
    const home = await family({ tasks: [task(agent)] });
    expect((await home.go()).status).toBe('finished');
    const deepest = levels.findLast((results) => results[0] instanceof Error)?.[0];
    expect(deepest).toMatchObject({ code: 'UNSUPPORTED' });
    expect((await home.store.list({ limit: 100 })).items).toHaveLength(6);
    // two model calls each; the parent that could not run a child also had two
    expect(home.parent.state.metrics.llmCallCount).toBe(12);
    expect(Object.keys(home.parent.state.stats).toSorted()).toEqual(['agent', `task:${ok(home.results[0]).id}`]);
  });

  test('is shown by what the visualizer of its parent has for it, which closes with it', async () => {
    const shown: string[] = [];
    const visualizer: Visualizer = {
      forChild: ({ id, title, tags }) => ({
        initialize: (state) => void shown.push(state.id === id ? `${title} ${tags['subagent']}` : 'another'),
        onEvent: ({ kind }) => void shown.push(kind),
        close: () => void shown.push('closed'),
        forChild: () => undefined,
      }),
    };
    const deep = delegatingAgent([task(helper())]);
    const home = await family({
      tasks: [task(deep, { title: 'Helping', tags: { subagent: 'helper' } })],
      options: { visualizer },
    });
    await home.go();
    expect(shown.join(' ')).toBe(
      'Helping helper SystemPromptEvent MessageEvent ActionEvent ObservationEvent MessageEvent closed',
    );
  });

  test('is as deep as its parents say when it is opened by itself', async () => {
    const home = await family({ tasks: [] });
    let parentId = home.parent.id;
    for (let level = 0; level < 5; level++) {
      const own = await open(home.store, { agent: helper(), parentId });
      parentId = own.id;
      await own.close();
    }
    const deep = await family({ tasks: [task(helper())], store: home.store, options: { id: parentId } });
    await deep.go();
    expect(deep.results[0]).toMatchObject({ code: 'UNSUPPORTED' });
  });

  test('P10: works with eight at the same time, outside of the lock of their parent', async () => {
    const started = gate();
    let running = 0;
    const tasks = Array.from({ length: 8 }, () =>
      task(
        helper({
          think: async ({ number }) => {
            if (number === 1) return ['work', 'work'];
            if (++running === 8) started.open();
            await started.pass();
            return 'helped';
          },
        }),
      ),
    );
    const home = await family({ tasks });
    const going = home.go();
    await started.reached;
    // a message waits for nothing, although eight children are at work
    const sent = await home.parent.sendMessage('by the way');
    expect(sent.queued).toBe(true);
    expect((await going).status).toBe('finished');
    expect(home.results.map((result) => ok(result).status)).toEqual(Array.from({ length: 8 }, () => 'finished'));
    expect(home.parent.state.metrics).toMatchObject({ llmCallCount: 18 });
    const results = (await home.parent.events.slice()).filter(({ kind }) => kind === 'ObservationEvent');
    expect(results).toHaveLength(8);
  });

  test('works on one task at a time', async () => {
    const held = gate();
    const agent = helper({
      think: async () => {
        await held.pass();
        return 'helped';
      },
    });
    const home = await family({ tasks: [task(agent)] });
    const going = home.go();
    await held.reached;
    const [id = ''] = await childIds(home.store);
    await expect(home.children().run({ prompt: 'more', id }, CALL)).rejects.toMatchObject({
      code: 'BUSY',
    });
    held.open();
    await going;
  });
});

/** Returns the text that the model reads for the interrupted call. */
async function result({ events }: LocalConversation): Promise<string> {
  const event = (await events.slice()).findLast((one) => isEvent(one, 'AgentErrorEvent'));
  return event?.error ?? '';
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

  test('also when a tool does not wait for it', async () => {
    const held = gate();
    const agent = helper({ think: () => held.pass().then(never) });
    const home = await family({
      tasks: [],
      script: {
        think: ({ number }) => (number === 1 ? ['work'] : 'done'),
        call: async () => {
          home
            .children()
            .run(task(agent), CALL)
            .catch(() => {});
          await held.reached;
          return 'begun';
        },
      },
    });
    expect((await home.go()).status).toBe('finished');
    const [id = ''] = await childIds(home.store);
    expect((await stored(home.store, id)).executionStatus).toBe('paused');
    await (await open(home.store, { id, agent })).close();
  });

  test('and is named by a call that ends as an error before it, such as a call that takes too long', async () => {
    const held = gate();
    const agent = helper({ think: () => held.pass().then(never) });
    const home = await family({
      tasks: [],
      script: {
        think: ({ number }) => (number === 1 ? ['work'] : 'done'),
        call: async (_, signal, { tool_call_id: toolCallId }) => {
          const working = home.children().run(task(agent), { signal, toolCallId });
          working.catch(() => {});
          await held.reached;
          throw new Error('it took too long');
        },
      },
    });
    await home.go();
    const [id = ''] = await childIds(home.store);
    expect(await result(home.parent)).toContain('it took too long Its sub-conversations are kept');
    expect(await result(home.parent)).toContain(id);
  });

  test('also while it is being opened', async () => {
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
