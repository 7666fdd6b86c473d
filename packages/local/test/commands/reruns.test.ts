import { SECRET_MASK, type RerunResult } from '@conv/core';
import { drafts } from '@conv/core/events';
import { toolWires } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions, LocalRuntimeOptions } from '../../src/index.ts';
import { gate, open, play, story, type Bench } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { FakeVault } from '../support/fake-vault.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

/** A conversation whose model called these tools, one after the other. */
async function lived(
  names: readonly string[],
  script: Script = {},
  options: LocalConversationOptions = {},
  runtime: Partial<LocalRuntimeOptions> = {},
): Promise<Bench> {
  const think: Script['think'] = ({ number }) => {
    const name = names[number - 1];
    return name === undefined ? 'done' : [name];
  };
  const bench = await play({ think, ...script }, options, runtime);
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  return bench;
}

function rerun({ conversation }: Pick<Bench, 'conversation'>, signal?: AbortSignal): Promise<RerunResult[]> {
  return Array.fromAsync(conversation.history.rerunActions(signal ? { signal } : {}));
}

describe('calls that are made again', () => {
  test("a rerun repeats all calls of the branch, an answer's too, and costs no model and no commit", async () => {
    const bench = await lived(['work', 'work', 'finish']);
    const { agent, store, conversation } = bench;
    const [begun, requests, appends] = [agent.begun.length, agent.requests, store.appends];
    const again = await rerun(bench);
    expect(again.map(({ action }) => action.tool_name)).toEqual(['work', 'work', 'finish']);
    expect([agent.begun.length, agent.requests, store.appends]).toEqual([begun + 3, requests, appends]);
    expect(conversation.state.executionStatus).toBe('finished');
  });

  test('a rerun makes no calls where nothing was called', async () => {
    expect(await rerun(await play())).toEqual([]);
  });

  test('P13: a rerun makes no calls if the agent lacks a tool, which the error names', async () => {
    const { conversation, store } = await lived(['work', 'other', 'work']);
    await conversation.close();
    const agent = new ScriptedAgent();
    const again = await open(store, { agent, id: conversation.id });
    const error = { code: 'UNKNOWN_TOOL', message: expect.stringContaining('"other"') as string };
    await expect(rerun({ conversation: again })).rejects.toMatchObject(error);
    expect(agent.begun).toEqual([]);
  });

  test('a rerun asks the hooks, which may block a call, and does not ask the policy', async () => {
    let asked = 0;
    const hooks = new FakeHooks({ PreToolUse: () => (++asked === 4 ? { blocked: true, reason: 'not again' } : {}) });
    const bench = await lived(['work', 'work'], {}, { hooks });
    await bench.conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    const before = await story(bench.conversation);
    const again = await rerun(bench);
    expect(again.map(({ result, failed }) => [result.kind, failed])).toEqual([
      ['ObservationEvent', false],
      ['UserRejectObservation', true],
    ]);
    expect(again[1]?.result).toMatchObject({ rejection_reason: 'not again', rejection_source: 'hook' });
    expect(await story(bench.conversation)).toBe(before);
    expect(bench.agent.begun).toHaveLength(3);
  });

  test('P10: a rerun leaves out calls outside of the sandbox, because a person allowed each of them once', async () => {
    const bench = await lived([`$ ${toolWires.OUTSIDE_SANDBOX}it pushes\ngit push`]);
    await bench.conversation.approve();
    await bench.conversation.run();
    expect(bench.agent.begun).toHaveLength(1);
    const again = await rerun(bench);
    expect(again.map(({ result, failed }) => [result.kind, failed])).toEqual([['UserRejectObservation', true]]);
    expect(bench.agent.begun).toHaveLength(1);
  });

  test('P9: a rerun makes calls as they are on record, and masks their results', async () => {
    const call: Script['call'] = () => 'it is correct-horse';
    const secrets = { secrets: { TOKEN: 'correct-horse' } };
    const bench = await lived(['work'], { call }, secrets, { secrets: (vault) => new FakeVault(vault) });
    const [again] = await rerun(bench);
    expect(JSON.stringify(again?.result)).toContain(SECRET_MASK);
    expect(JSON.stringify(again?.result)).not.toContain('correct-horse');
  });

  test('a rerun gives its calls the time that the conversation gives calls', async () => {
    const given: (number | undefined)[] = [];
    const call: Script['call'] = (_tool, _signal, _event, { timeout }) => void given.push(timeout);
    const bench = await lived(['work'], { call }, { toolTimeout: 5000 });
    await rerun(bench);
    expect(given).toEqual([5000, 5000]);
  });

  test('a rerun fails where the agent breaks its contract', async () => {
    let calls = 0;
    const call: Script['call'] = (_tool, _signal, event) => {
      if (++calls === 1) return 'ok';
      const other = { ...event, tool_call_id: 'other' };
      return drafts.observation(other, { content: [], is_error: false, kind: 'WorkObservation' });
    };
    const [again] = await rerun(await lived(['work'], { call }));
    expect(again).toMatchObject({ failed: true, result: { kind: 'AgentErrorEvent' } });
  });

  test('a second rerun at the same time is refused', async () => {
    let holds = false;
    const working = gate();
    const bench = await lived(['work'], { call: () => (holds ? working.pass() : undefined) });
    holds = true;
    const first = rerun(bench);
    await working.reached;
    await expect(rerun(bench)).rejects.toMatchObject({ code: 'BUSY' });
    working.open();
    expect(await first).toHaveLength(1);
  });

  test('a rerun ends when a run begins, which waits for the call that is being made', async () => {
    let holds = false;
    const working = gate();
    const bench = await lived(['work', 'work'], { call: () => (holds ? working.pass() : undefined) });
    const { conversation, agent } = bench;
    holds = true;
    const again = rerun(bench);
    await working.reached;
    await conversation.sendMessage('go on');
    const requests = agent.requests;
    const running = conversation.run();
    expect(agent.requests).toBe(requests);
    working.open();
    await expect(again).rejects.toMatchObject({ code: 'BUSY' });
    expect((await running).status).toBe('finished');
  });

  test('a rerun ends with the conversation', async () => {
    let holds = false;
    const working = gate();
    const bench = await lived(['work'], { call: () => (holds ? working.pass() : undefined) });
    holds = true;
    const again = rerun(bench);
    again.catch(() => {});
    await working.reached;
    await bench.conversation.close();
    await expect(again).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(rerun(bench)).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('a signal that is aborted already lets a rerun make no call', async () => {
    const bench = await lived(['work']);
    const reason = new Error('no');
    await expect(rerun(bench, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(bench.agent.begun).toHaveLength(1);
  });
});
