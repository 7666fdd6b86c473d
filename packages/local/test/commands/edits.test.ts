import { describe, expect, test } from 'vitest';

import { isEvent, type ActionEvent, type EventOfKind } from '@conv/core/events';

import type { LocalConversation } from '../../src/index.ts';
import { open, play, story, type Bench } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { adopt } from '../support/dying.ts';
import { MortalStore } from '../support/mortal-store.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';
import { GIVEN, stored, VALUE, withSecret } from '../support/secret-bench.ts';

const ALWAYS = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;

const calls = (...names: readonly string[]): Script => ({
  think: ({ number }) => (number === 1 ? names : 'done'),
});

async function waiting(...names: readonly string[]): Promise<Bench & { readonly ids: readonly string[] }> {
  const bench = await play(calls(...names), ALWAYS);
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  return { ...bench, ids: bench.conversation.state.pendingActions.map(({ id }) => id) };
}

/** The newest action and the newest rejection. */
async function newest({
  events,
}: LocalConversation): Promise<readonly [ActionEvent, EventOfKind<'UserRejectObservation'>]> {
  const all = await events.slice();
  const action = all.findLast((event) => isEvent(event, 'ActionEvent'));
  const rejection = all.findLast((event) => isEvent(event, 'UserRejectObservation'));
  if (!action || !rejection) throw new Error('there is no edited call');
  return [action, rejection];
}

describe('P3: an approval with edited arguments', () => {
  test('P3: an edit is one commit with the new call, its approval, the decider and the rejected old call', async () => {
    const { conversation, ids, agent } = await waiting('$ rm -rf build');
    const [id = ''] = ids;
    const before = (await Array.fromAsync(conversation.history.commits())).length;
    await conversation.approve([id], { edits: { [id]: { command: 'ls' } }, by: 'ann', at: '2026-11-29T12:00:00.000Z' });
    const commits = await Array.fromAsync(conversation.history.commits());
    expect(commits).toHaveLength(before + 1);
    const [edited, rejection] = await newest(conversation);
    expect(commits.at(-1)?.events.map((event) => event.id)).toEqual([edited.id, rejection.id]);
    expect(commits.at(-1)?.patch?.add?.calls).toEqual({ [edited.id]: 'approved' });
    expect(commits.at(-1)?.patch?.set?.extra?.meta['conv_decided_by']).toBe('ann');
    expect([edited.action, rejection.action_id]).toEqual([{ kind: 'TerminalAction', command: 'ls' }, id]);
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toEqual([edited.tool_call_id]);
    expect(await story(conversation)).toBe('system user action action reject result agent');
  });

  test('P3: an edited call runs once if its process is killed between the commit and the run', async () => {
    const store = new MortalStore();
    const agent = new ScriptedAgent(calls('work'));
    const conversation = await open(store, { agent, ...ALWAYS });
    await conversation.sendMessage('go');
    await conversation.run();
    const [{ id } = { id: '' }] = conversation.state.pendingActions;
    store.live(1);
    void conversation.approve([id], { edits: { [id]: { size: 2 } } }).catch(() => {});
    await store.died;
    const again = await adopt(store, conversation.id);
    expect((await again.conversation.run()).status).toBe('finished');
    const [edited] = await newest(again.conversation);
    expect([agent.begun, again.agent.begun]).toEqual([[], [edited.tool_call_id]]);
    expect(await story(again.conversation)).toBe('system user action action reject result agent');
  });

  test('P3: an approval with edited arguments leaves the other calls of the response waiting', async () => {
    const { conversation, ids, agent } = await waiting('work', 'work');
    const [id = '', other] = ids;
    await conversation.approve([id], { edits: { [id]: { size: 2 } } });
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(conversation.state.pendingActions.map((action) => action.id)).toEqual([other]);
    const [edited] = await newest(conversation);
    expect(agent.begun).toEqual([edited.tool_call_id]);
  });

  test('P3: moving HEAD before an edit undoes it, and the first call waits again', async () => {
    const { conversation, ids } = await waiting('work');
    const [id = ''] = ids;
    await conversation.approve([id], { edits: { [id]: { size: 2 } } });
    await conversation.history.navigateTo(id);
    expect(conversation.state.pendingActions.map((action) => action.id)).toEqual([id]);
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  });

  test.each([0, 1, 2, 3])('P10: HEAD and forks at event %i of edits have only the new calls waiting', async (at) => {
    const { conversation, ids, store } = await waiting('work', 'work');
    const [id = '', other = ''] = ids;
    await conversation.approve(undefined, { edits: { [id]: { size: 2 }, [other]: { size: 3 } } });
    const events = (await conversation.events.slice(-4)).map((event) => event.id);
    const from = events[at] ?? '';
    const fork = await adopt(store, await conversation.history.fork({ from }));
    await conversation.history.navigateTo(from);
    expect(conversation.state.leafEventId).toBe(events[3]);
    for (const { state } of [conversation, fork.conversation]) {
      expect(state.pendingActions.map((action) => action.id)).toEqual(events.slice(0, 2));
      expect(state.forkedFrom?.eventId ?? events[3]).toBe(events[3]);
    }
    expect((await conversation.run()).status).toBe('finished');
    expect(await story(conversation)).toBe('system user action action action action reject reject result result agent');
  });

  test('P10: HEAD at a call that was edited twice has only the call of its own edit waiting', async () => {
    const { conversation, ids } = await waiting('work', 'work');
    const [id = '', other = ''] = ids;
    await conversation.approve([id], { edits: { [id]: { size: 2 } } });
    const [first, rejection] = await newest(conversation);
    await conversation.history.navigateTo(first.id);
    expect(conversation.state.leafEventId).toBe(rejection.id);
    await conversation.approve([first.id], { edits: { [first.id]: { size: 3 } } });
    const [second] = await newest(conversation);
    await conversation.history.navigateTo(first.id);
    expect(conversation.state.pendingActions.map((action) => action.id)).toEqual([other, first.id]);
    await conversation.history.navigateTo(second.id);
    expect(conversation.state.pendingActions.map((action) => action.id)).toEqual([other, second.id]);
  });
});

test('P9: a secret in edited arguments is masked in the log', async () => {
  const { conversation, store } = await withSecret(calls('$ ls'), { ...GIVEN, ...ALWAYS });
  await conversation.run();
  const [{ id } = { id: '' }] = conversation.state.pendingActions;
  await conversation.approve([id], { edits: { [id]: { command: `curl -H ${VALUE}` } } });
  const text = await stored(store, conversation.id);
  expect(text).toContain('curl -H <secret-hidden>');
  expect(text).not.toContain(VALUE);
});

test('an edited call is rated anew, and its rating is in the commit of its approval', async () => {
  const analyzer = new FakeAnalyzer(() => ({ risk: analyzer.asked.length === 1 ? 'LOW' : 'HIGH', reasons: ['seen'] }));
  const { conversation } = await play(calls('$ ls'), { ...ALWAYS, securityAnalyzer: analyzer });
  await conversation.sendMessage('go');
  await conversation.run();
  const [{ id } = { id: '' }] = conversation.state.pendingActions;
  await conversation.approve([id], { edits: { [id]: { command: 'rm -rf /' } } });
  expect(analyzer.asked.at(-1)?.action).toEqual({ kind: 'TerminalAction', command: 'rm -rf /' });
  const [edited] = await newest(conversation);
  const commits = await Array.fromAsync(conversation.history.commits());
  expect(commits.at(-1)?.patch?.add?.assessments).toEqual({ [edited.id]: { risk: 'HIGH', reasons: ['seen'] } });
});

test('edits that their caller refuses store nothing', async () => {
  const { conversation, ids } = await waiting('work');
  const [id = ''] = ids;
  const before = conversation.events.length;
  const checkEdits = (): never => {
    throw new RangeError('too much');
  };
  await expect(conversation.approve([id], { edits: { [id]: {} }, checkEdits })).rejects.toThrow('too much');
  await expect(conversation.approve([id], { edits: { [id]: { wrong: 1 } } })).rejects.toThrow('unknown wrong');
  expect([conversation.events.length, conversation.state.calls]).toEqual([before, {}]);
});

test('a call that was decided while its edit was rated is refused, and nothing runs', async () => {
  const rating = Promise.withResolvers<{ risk: 'LOW'; reasons: [] }>();
  const analyzer = new FakeAnalyzer(() =>
    analyzer.asked.length === 1 ? { risk: 'LOW', reasons: [] } : rating.promise,
  );
  const { conversation } = await play(calls('work'), { ...ALWAYS, securityAnalyzer: analyzer });
  await conversation.sendMessage('go');
  await conversation.run();
  const [{ id } = { id: '' }] = conversation.state.pendingActions;
  const approving = conversation.approve([id], { edits: { [id]: { size: 2 } } });
  await conversation.reject([id], 'no');
  rating.resolve({ risk: 'LOW', reasons: [] });
  await expect(approving).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
  expect(await story(conversation)).toBe('system user action reject');
});
