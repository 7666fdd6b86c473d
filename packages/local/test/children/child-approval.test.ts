import type { Conversation } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { gate, open, story } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { CALL, childIds, delegatingAgent, family, ok, stored, task, type Family } from '../support/family.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const HOUR = 3_600_000;
const ALWAYS = { kind: 'AlwaysConfirm' } as const;

/** Calls one tool and says what came of it. */
function caller(): ScriptedAgent {
  return new ScriptedAgent({ think: ({ number }) => (number === 1 ? ['work'] : 'helped') });
}

/** A parent that asks about everything, and a person who lets its own call run. */
async function asking(agent: ScriptedAgent, ask?: (child: Conversation) => void | Promise<void>): Promise<Family> {
  const onChildConfirmation = ask ? { onChildConfirmation: ask } : {};
  const home = await family({ tasks: [task(agent)], options: { confirmationPolicy: ALWAYS, ...onChildConfirmation } });
  expect((await home.go()).status).toBe('waiting_for_confirmation');
  await home.parent.approve();
  return home;
}

describe('P10: actions of a child that wait for a person', () => {
  test('P10: the result names the waiting action; a person decides on the child itself, which goes on', async () => {
    const agent = caller();
    const home = await asking(agent);
    expect((await home.parent.run()).status).toBe('finished');
    const { id, status, pending } = ok(home.results[0]);
    expect(status).toBe('waiting_for_confirmation');
    expect(pending.map(({ tool_name: tool }) => tool)).toEqual(['work']);
    // the model cannot take it up over a person's head
    const early = await home.children().run({ prompt: 'go on', id, agent }, CALL);
    expect(early).toMatchObject({ status: 'waiting_for_confirmation', pending: [{ id: pending[0]?.id }] });
    expect(agent.begun).toEqual([]);
    const own = await open(home.store, { id, agent });
    expect(await story(own)).toBe('system user action');
    await own.approve([pending[0]?.id ?? '']);
    await own.close();
    const late = await home.children().run({ prompt: 'go on', id, agent }, CALL);
    expect(late).toMatchObject({ status: 'finished', answer: 'helped' });
    expect(agent.begun).toHaveLength(1);
  });

  test('P10: a waiting child goes on after a person opened it with the agent of its parent and more tools', async () => {
    const agent = caller();
    const home = await asking(agent);
    await home.parent.run();
    const { id, pending } = ok(home.results[0]);
    const tools = ['work', 'delegate'].map((name) => ({ name, params: {} }));
    const wider = new ScriptedAgent({ description: { kind: 'Agent', tools, llm: { model: 'script' } } });
    const own = await open(home.store, { id, agent: wider });
    await own.approve([pending[0]?.id ?? '']);
    await own.close();
    const late = await home.children().run({ prompt: 'go on', id, agent }, CALL);
    expect(late).toMatchObject({ status: 'finished', answer: 'helped' });
    expect(agent.begun).toHaveLength(1);
    await expect(
      open(home.store, { id, agent: new ScriptedAgent({ description: { kind: 'Agent' } }) }),
    ).rejects.toThrow('TOOLS_REMOVED');
  });

  test('P10: a person can run a waiting child to its end, and the model goes on from there', async () => {
    const agent = caller();
    const home = await asking(agent);
    await home.parent.run();
    const { id, pending } = ok(home.results[0]);
    const own = await open(home.store, { id, agent });
    await own.reject([pending[0]?.id ?? ''], 'not that');
    expect((await own.run()).status).toBe('finished');
    await own.close();
    const late = await home.children().run({ prompt: 'go on', id, agent }, CALL);
    expect(late.status).toBe('finished');
    const again = await open(home.store, { id, agent });
    expect(await story(again)).toBe('system user action reject agent user agent');
    expect(agent.begun).toEqual([]);
  });

  test.each<[string, (child: Conversation) => void | Promise<void>, string, number]>([
    ['approves', (child) => child.approve(), 'finished', 1],
    ['rejects', (child) => child.reject(), 'finished', 0],
    ['runs it to its end', async (child) => void (await child.approve().then(() => child.run())), 'finished', 1],
    ['decides nothing', () => {}, 'waiting_for_confirmation', 0],
  ])('P10: an action of a child is asked about where a person can be asked, who %s', async (_, ask, status, begun) => {
    const agent = caller();
    const home = await asking(agent, ask);
    expect((await home.parent.run()).status).toBe('finished');
    expect(ok(home.results[0]).status).toBe(status);
    expect(agent.begun).toHaveLength(begun);
  });

  test('P10: an action of a child keeps waiting when asking fails, and the model reads so', async () => {
    const agent = caller();
    const home = await asking(agent, () => {
      throw new Error('nobody is there');
    });
    expect((await home.parent.run()).status).toBe('finished');
    const { status, error } = ok(home.results[0]);
    expect(status).toBe('waiting_for_confirmation');
    expect(error).toContain('nobody is there');
    expect(agent.begun).toEqual([]);
  });

  test('P10: actions of a child and of its children are asked about each time that they wait', async () => {
    const deep = new ScriptedAgent({ think: ({ number }) => (number <= 2 ? ['work', 'work'] : 'helped') });
    const asked: string[] = [];
    const home = await family({
      tasks: [task(delegatingAgent([task(deep)]))],
      options: {
        confirmationPolicy: ALWAYS,
        onChildConfirmation: async (child) => {
          asked.push(child.state.parentId ?? '');
          await child.approve(child.state.pendingActions.slice(0, 1).map(({ id }) => id));
        },
      },
    });
    await home.go();
    expect((await home.parent.run()).status).toBe('finished');
    expect(deep.begun).toHaveLength(4);
    expect(asked.filter((id) => id === home.parent.id)).toHaveLength(1);
    expect(asked).toHaveLength(5);
  });

  test('P10: an action of a child is asked about no longer than a question waits, and the parent goes on', async () => {
    const platform = new ManualPlatform();
    const agent = caller();
    const held = gate();
    const options = { platform, approvalTimeout: HOUR, confirmationPolicy: ALWAYS };
    const home = await family({
      tasks: [task(agent)],
      options: { ...options, onChildConfirmation: () => held.pass() },
    });
    await home.go();
    await home.parent.approve();
    // the question of the child has another time than that of its parent
    platform.pass(1000);
    const running = home.parent.run();
    await held.reached;
    await platform.untilWaiting(HOUR);
    platform.pass(HOUR);
    expect((await running).status).toBe('finished');
    expect(ok(home.results[0]).status).toBe('finished');
    expect(agent.begun).toEqual([]);
    held.open();
  });

  test('P10: an action of a child keeps waiting when the parent is interrupted while a person is asked', async () => {
    const held = gate();
    const home = await asking(caller(), () => held.pass());
    const running = home.parent.run();
    await held.reached;
    await home.parent.interrupt();
    expect((await running).status).toBe('paused');
    const [id = ''] = await childIds(home.store);
    expect((await stored(home.store, id)).executionStatus).toBe('waiting_for_confirmation');
    held.open();
  });

  test("P10: the parent's own analyzer rates an action of a child, although no store can name it", async () => {
    const agent = caller();
    const analyzer = new FakeAnalyzer((tool) => ({
      risk: tool === 'work' ? 'HIGH' : 'LOW',
      reasons: [],
    }));
    const home = await family({
      tasks: [task(agent)],
      options: { confirmationPolicy: { kind: 'ConfirmRisky' }, securityAnalyzer: analyzer },
    });
    await home.go();
    await home.parent.run();
    expect(ok(home.results[0]).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test("P10: the parent's own hooks hold an action of a child back, although no runtime builds them", async () => {
    const agent = caller();
    let calls = 0;
    const hooks = new FakeHooks({ PreToolUse: () => ({ blocked: ++calls > 1, reason: 'only once' }) }, 'guard');
    const home = await family({ tasks: [task(agent)], options: { hooks } });
    expect((await home.go()).status).toBe('finished');
    expect(ok(home.results[0]).status).toBe('finished');
    expect(agent.begun).toEqual([]);
    expect(calls).toBe(2);
  });

  test('P10: actions of a child and of its children start to wait the moment that the parent asks', async () => {
    const held = gate();
    const deep = new ScriptedAgent({
      think: async ({ number }) => {
        if (number > 1) return 'helped';
        await held.pass();
        return ['work'];
      },
    });
    const home = await family({ tasks: [task(delegatingAgent([task(deep)]))] });
    const going = home.go();
    await held.reached;
    await home.parent.settings.setConfirmationPolicy(ALWAYS);
    held.open();
    await going;
    expect(deep.begun).toEqual([]);
    const kept = await Promise.all((await childIds(home.store)).map((id) => stored(home.store, id)));
    expect(kept.map(({ confirmationPolicy }) => confirmationPolicy)).toEqual([ALWAYS, ALWAYS]);
  });

  test('P10: a harmless action of a child is asked about when its parent drops the analyzer and asks', async () => {
    const held = gate();
    const agent = new ScriptedAgent({
      think: async ({ number }) => {
        if (number > 1) return 'helped';
        await held.pass();
        return ['work'];
      },
    });
    const securityAnalyzer = new FakeAnalyzer(() => ({ risk: 'LOW', reasons: [] }));
    const options = { confirmationPolicy: { kind: 'ConfirmRisky' as const }, securityAnalyzer };
    const home = await family({ tasks: [task(agent)], options });
    const going = home.go();
    await held.reached;
    await home.parent.settings.setSecurityAnalyzer(null);
    held.open();
    await going;
    expect(agent.begun).toEqual([]);
    expect(ok(home.results[0]).status).toBe('waiting_for_confirmation');
  });
});
