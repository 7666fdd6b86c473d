import type { ChildResult } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { open } from '../support/bench.ts';
import { delegatingAgent, family, helper, ok, task } from '../support/family.ts';
import type { ScriptedAgent } from '../support/scripted-agent.ts';

describe('a conversation that works for another one', () => {
  test('a child conversation can have children of its own, down to a depth', async () => {
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

  test('a child conversation is as deep as its parents say when it is opened by itself', async () => {
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
});
