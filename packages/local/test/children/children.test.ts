import type { Visualizer } from '@conv/core';
import type { ChildTask } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { open, story } from '../support/bench.ts';
import { CALL, delegatingAgent, family, helper, ok, stored, task } from '../support/family.ts';

/** A child that calls one tool and says what came of it. */
const calling = { think: ({ number }: { number: number }) => (number === 1 ? ['work'] : 'helped') } as const;

describe('a conversation that works for another one', () => {
  test('a child conversation answers its parent, and has a log of its own in the same store', async () => {
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

  test('a child conversation is found by its id, by its parent alone', async () => {
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

  test('a child says why it ended early, and an error of one task does not touch the others', async () => {
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

  test('a child conversation has limits of its own for a task', async () => {
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

  test('the visualizer of a parent provides that of the child, which closes with the child', async () => {
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
});
