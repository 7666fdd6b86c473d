import type { RiskAssessment } from '@conv/core';
import { isEvent, type EventOfKind } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import type { LocalConversation, LocalConversationOptions } from '../../src/index.ts';
import { open, play, type Bench } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { family, helper, ok, stored, task } from '../support/family.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const NEWER = { openhands: '>=1.54' } as const;
const RISKY = { confirmationPolicy: { kind: 'ConfirmRisky' } } as const;
const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'terminal'] : 'done');
const byTool = (tool: string): RiskAssessment =>
  tool === 'work' ? { risk: 'LOW', reasons: [] } : { risk: 'HIGH', reasons: ['it deletes everything'] };

async function ran(options: LocalConversationOptions, think = twoCalls): Promise<Bench> {
  const bench = await play({ think }, { securityAnalyzer: new FakeAnalyzer(byTool), ...options });
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  return bench;
}

async function analysesOf({ events }: LocalConversation): Promise<readonly EventOfKind<'SecurityAnalysisEvent'>[]> {
  return (await events.slice()).filter((event) => isEvent(event, 'SecurityAnalysisEvent'));
}

async function kindsOf({ events }: LocalConversation): Promise<readonly string[]> {
  return (await events.slice(2)).map(({ kind }) => kind);
}

describe('a conversation for OpenHands from 1.54 on', () => {
  test('P3: one event behind the actions of a response shows their ratings, with the reasons of each', async () => {
    const { conversation } = await ran({ ...NEWER, ...RISKY });
    expect(await kindsOf(conversation)).toEqual(['ActionEvent', 'ActionEvent', 'SecurityAnalysisEvent']);
    const [work, terminal] = conversation.state.pendingActions.map(({ id }) => id) as [string, string];
    expect(await analysesOf(conversation)).toEqual([
      {
        id: expect.any(String),
        timestamp: expect.any(String),
        source: 'environment',
        parent_id: terminal,
        analyzer: 'FakeAnalyzer',
        policy: 'ConfirmRisky',
        risks: { [work]: 'LOW', [terminal]: 'HIGH' },
        details: { [terminal]: { reasons: ['it deletes everything'] } },
        kind: 'SecurityAnalysisEvent',
      },
    ]);
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  });

  test('a conversation for OpenHands 1.54 shows ratings under a policy that never asks, and runs the calls', async () => {
    const { conversation, agent } = await ran(NEWER);
    expect(await kindsOf(conversation)).toEqual([
      'ActionEvent',
      'ActionEvent',
      'SecurityAnalysisEvent',
      'ObservationEvent',
      'ObservationEvent',
      'MessageEvent',
    ]);
    expect((await analysesOf(conversation))[0]).toMatchObject({ policy: 'NeverConfirm' });
    expect(agent.begun).toHaveLength(2);
  });

  test('no rating is shown of a single call that never waits, and none without an analyzer', async () => {
    const finish = await ran(NEWER, () => ['finish']);
    const plain = await ran({ ...NEWER, securityAnalyzer: null });
    expect([...(await analysesOf(finish.conversation)), ...(await analysesOf(plain.conversation))]).toEqual([]);
  });

  test('a call that the analyzer cannot rate is shown as HIGH, with the reason', async () => {
    const failing = new FakeAnalyzer(() => Promise.reject(new Error('no network')));
    const { conversation } = await ran({ ...NEWER, securityAnalyzer: failing }, ({ number }) =>
      number === 1 ? ['work'] : 'done',
    );
    const [shown] = await analysesOf(conversation);
    expect(Object.values(shown?.risks ?? {})).toEqual(['HIGH']);
    expect(Object.values(shown?.details ?? {})).toEqual([{ reasons: [expect.stringContaining('no network')] }]);
  });

  test('P6: a reopened conversation has the same state, and goes on showing ratings', async () => {
    const { conversation, store } = await ran(NEWER, ({ number }) => (number % 2 === 1 ? ['work'] : 'done'));
    const { state } = conversation;
    const before = [state.executionStatus, state.leafEventId, state.stats, state.lastUserMessageId];
    await conversation.close();
    const securityAnalyzer = new FakeAnalyzer(byTool);
    const agent = new ScriptedAgent({ think: ({ number }) => (number === 1 ? ['work'] : 'done') });
    const again = await open(store, { id: conversation.id, agent, securityAnalyzer, ...NEWER });
    const { executionStatus, leafEventId, stats, lastUserMessageId } = again.state;
    expect([executionStatus, leafEventId, stats, lastUserMessageId]).toEqual(before);
    await again.sendMessage('more');
    await again.run();
    expect(await analysesOf(again)).toHaveLength(2);
  });

  test('a conversation hands its releases of OpenHands on to its forks and its children', async () => {
    const home = await family({ tasks: [task(helper())], options: NEWER });
    await home.go();
    const child = await stored(home.store, ok(home.results[0]).id);
    const fork = await stored(home.store, await home.parent.history.fork());
    expect([child.extra.meta, fork.extra.meta]).toEqual([NEWER, NEWER]);
  });
});

test.each<[string, LocalConversationOptions]>([
  ['without the option', {}],
  ['for releases before 1.54', { openhands: '>=1.53.9' }],
])('a conversation %s has no event that 1.43.1 does not know', async (_, options) => {
  const { conversation } = await ran({ ...options, ...RISKY });
  expect(await kindsOf(conversation)).toEqual(['ActionEvent', 'ActionEvent']);
});

test('a conversation without the option asks no analyzer whose answer could hold nothing back', async () => {
  const securityAnalyzer = new FakeAnalyzer(byTool);
  await ran({ securityAnalyzer });
  expect(securityAnalyzer.asked).toEqual([]);
});

test.each(['1.54', '>=1', '>1.54', 154])('P13: the releases %j are refused by name', async (openhands) => {
  await expect(play({}, { openhands: openhands as never })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining("openhands: expected releases such as '>=1.54'"),
  });
});

test.each([[{}, 'none'] as const, [{ openhands: '>=1.60' }, '">=1.60"'] as const])(
  'P13: a conversation made with %j refuses other releases',
  async (made, named) => {
    const store = new MemoryStore();
    const agent = new ScriptedAgent();
    const first = await open(store, { agent, ...made });
    const { id } = first;
    await first.close();
    await expect(open(store, { id, agent, ...NEWER })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`openhands: expected ${named}`),
    });
    await (await open(store, { id, agent })).close();
  },
);
