import { isDeepStrictEqual } from 'node:util';

import type { StoredHooks, Hooks } from '@conv/core';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions } from '../../src/index.ts';
import { open, play } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const ID = '0197b5a0-0000-7000-8000-000000000001';
const ALWAYS = { kind: 'AlwaysConfirm' } as const;
const NEVER = { kind: 'NeverConfirm' } as const;

async function child(parent: LocalConversationOptions, given: LocalConversationOptions): Promise<unknown> {
  const { conversation, store, agent } = await play({}, parent);
  const find: (config: StoredHooks) => Hooks | undefined = (config) =>
    isDeepStrictEqual(parent.hooks?.config, config) ? (parent.hooks ?? undefined) : undefined;
  const { state } = await open(store, { agent, parentId: conversation.id, ...given }, { hooks: find });
  return state;
}

describe('P10: a conversation that belongs to another', () => {
  test.each<[string, LocalConversationOptions, LocalConversationOptions, object]>([
    ['has its policy', { confirmationPolicy: ALWAYS }, {}, { confirmationPolicy: ALWAYS }],
    [
      'has no weaker policy',
      { confirmationPolicy: ALWAYS },
      { confirmationPolicy: NEVER },
      { confirmationPolicy: ALWAYS },
    ],
    ['may have a stricter policy', {}, { confirmationPolicy: ALWAYS }, { confirmationPolicy: ALWAYS }],
    [
      'has its analyzer, so that no risk is unknown that was known',
      { securityAnalyzer: new FakeAnalyzer(() => ({ risk: 'LOW', reasons: [] })) },
      { securityAnalyzer: null },
      { securityAnalyzer: { kind: 'FakeAnalyzer' } },
    ],
    [
      'has no other analyzer than that, which might say of everything that it is harmless',
      { securityAnalyzer: { kind: 'LLMSecurityAnalyzer' } },
      { securityAnalyzer: { kind: 'PolicyRailSecurityAnalyzer' } },
      { securityAnalyzer: { kind: 'LLMSecurityAnalyzer' } },
    ],
    [
      'may have an analyzer where the other has none',
      {},
      { securityAnalyzer: { kind: 'PolicyRailSecurityAnalyzer' } },
      { securityAnalyzer: { kind: 'PolicyRailSecurityAnalyzer' } },
    ],
    [
      'asks about everything where the other does because nothing is rated, whatever its own analyzer says',
      { confirmationPolicy: { kind: 'ConfirmRisky' } },
      { securityAnalyzer: { kind: 'PolicyRailSecurityAnalyzer' } },
      { confirmationPolicy: ALWAYS, securityAnalyzer: { kind: 'PolicyRailSecurityAnalyzer' } },
    ],
    [
      'has its limits',
      { maxBudget: 1, toolTimeout: 5 },
      { maxBudget: null },
      { maxBudget: 1, toolTimeout: 5, maxBudgetPerRun: null },
    ],
    [
      'has the smaller of two limits',
      { maxBudget: 1, maxIterations: 9 },
      { maxBudget: 0.5, maxIterations: 20 },
      { maxBudget: 0.5, maxIterations: 9 },
    ],
    [
      'has its hooks, whatever hooks it is given',
      { hooks: new FakeHooks({ PreToolUse: () => ({ blocked: true }) }, 'guard') },
      { hooks: new FakeHooks({ PreToolUse: () => ({}) }, 'none') },
      { hookConfig: { PreToolUse: [{ hooks: [{ function: 'guard' }] }] } },
    ],
    ['is looked at for loops as the other is', {}, { stuckDetection: false }, { stuckDetection: true }],
  ])('%s', async (_, parent, given, expected) => {
    expect(await child(parent, given)).toMatchObject(expected);
  });

  test('P13: a parent that the store does not have rejects INVALID_INPUT and makes nothing', async () => {
    const store = new FaultyStore();
    const opening = open(store, { agent: new ScriptedAgent(), parentId: ID });
    await expect(opening).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(ID) as string,
    });
    expect((await store.list()).items).toEqual([]);
  });

  test('P10: a child is opened again without its parent, with the settings that the parent has by then', async () => {
    const { conversation, store, agent } = await play({}, { confirmationPolicy: ALWAYS });
    const own = await open(store, { agent, parentId: conversation.id });
    await own.settings.setConfirmationPolicy(NEVER);
    await own.close();
    await conversation.close();
    await store.delete(conversation.id);
    const again = await open(store, { agent, id: own.id, parentId: conversation.id });
    expect(again.state).toMatchObject({ parentId: conversation.id, confirmationPolicy: NEVER });
  });
});
