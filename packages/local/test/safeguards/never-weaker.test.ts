import type { StateFields } from '@conv/core';
import { describe, expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { open, play, story, type Bench } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { fakeCipher, FakeVault } from '../support/fake-vault.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const hooks = new FakeHooks({ PreToolUse: () => ({ blocked: true, reason: 'never' }) });
const analyzer = new FakeAnalyzer(() => ({ risk: 'HIGH', reasons: [] }));
const cipher = fakeCipher();
const runtime = {
  secrets: (options: ConstructorParameters<typeof FakeVault>[0]) => new FakeVault(options),
  analyzers: () => analyzer,
  hooks: () => hooks,
};
const oneCall = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work'] : 'done');

/** Everything that keeps an agent in check. */
function guards({ state }: LocalConversation): Partial<StateFields> {
  const { confirmationPolicy, securityAnalyzer, hookConfig, secretRegistry, hiddenValues } = state;
  const { maxIterations, maxBudget, maxBudgetPerRun, toolTimeout, stuckDetection } = state;
  const limits = { maxIterations, maxBudget, maxBudgetPerRun, toolTimeout, stuckDetection };
  return { confirmationPolicy, securityAnalyzer, hookConfig, secretRegistry, hiddenValues, ...limits };
}

async function guarded(): Promise<Bench> {
  const options = {
    confirmationPolicy: { kind: 'AlwaysConfirm' as const },
    securityAnalyzer: analyzer,
    hooks,
    secrets: { TOKEN: 'correct-horse-battery' },
    cipher,
    maxIterations: 9,
    maxBudget: 5,
    maxBudgetPerRun: 1,
    toolTimeout: 1000,
  };
  const bench = await play({ think: oneCall }, options, runtime);
  await bench.conversation.settings.updateSecrets({ TOKEN: 'staple-staple-staple' });
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  return bench;
}

/** Opens the conversation without settings, with a tool that tells whether it runs, and expects the same guards. */
async function expectGuarded({ conversation, store }: Bench, id: string): Promise<void> {
  const agent = new ScriptedAgent({ think: oneCall });
  const again = await open(store, { id, agent, cipher }, runtime);
  expect(guards(again)).toEqual(guards(conversation));
  await again.sendMessage('Wait, do NOT run that.');
  await again.run();
  expect(again.state.executionStatus).toBe('waiting_for_confirmation');
  await again.run();
  expect(agent.begun).toEqual([]);
  await again.close();
}

describe('P4, P10: nothing that keeps an agent in check is weaker', () => {
  test('P4, P10: no safeguard is weaker after a restart or an eviction', async () => {
    const bench = await guarded();
    await bench.conversation.close();
    await expectGuarded(bench, bench.conversation.id);
  });

  test('P4, P10: no safeguard is weaker after a crash', async () => {
    const bench = await guarded();
    const id = '99999999-9999-4999-8999-999999999999';
    await bench.store.fork(bench.conversation.id, id, { patch: { set: { id } } });
    await expectGuarded(bench, id);
  });

  test.each([[undefined], [1]])('P4, P10: no safeguard is weaker in a fork from event %s', async (at) => {
    const bench = await guarded();
    const from = at === undefined ? undefined : await bench.conversation.events.idAt(at);
    await expectGuarded(bench, await bench.conversation.history.fork(from === undefined ? {} : { from }));
  });

  test('P4, P10: no safeguard is weaker in a child conversation, whatever the child asks for', async () => {
    const bench = await guarded();
    const agent = new ScriptedAgent();
    const asked = {
      confirmationPolicy: { kind: 'NeverConfirm' as const },
      securityAnalyzer: null,
      hooks: null,
      maxIterations: 1000,
      maxBudget: null,
      maxBudgetPerRun: 100,
      toolTimeout: null,
      stuckDetection: false,
    };
    const child = await open(bench.store, { agent, cipher, parentId: bench.conversation.id, ...asked }, runtime);
    expect(guards(child)).toEqual(guards(bench.conversation));
  });
});

test('P10: running after "do not run that" runs nothing of what waited', async () => {
  const { conversation, agent } = await play({ think: oneCall }, { confirmationPolicy: { kind: 'AlwaysConfirm' } });
  await conversation.sendMessage('go');
  await conversation.run();
  await conversation.sendMessage('Wait, do NOT run that.');
  expect((await conversation.run()).status).toBe('finished');
  expect(agent.begun).toEqual([]);
  expect(await story(conversation, 2)).toBe('action reject user agent');
});

test('messages that wait for hooks that were removed are let pass', async () => {
  const asking = new FakeHooks({ UserPromptSubmit: () => ({ blocked: true }) });
  const { conversation, store, agent } = await play({}, { hooks: asking });
  await conversation.sendMessage('go');
  const { id } = conversation;
  await conversation.close();
  const again = await open(store, { id, agent, hooks: null });
  expect(again.state.uncheckedMessages).toHaveLength(1);
  expect(await again.run()).toEqual({ status: 'finished', iterations: 1 });
  expect(again.state).toMatchObject({ uncheckedMessages: [], blockedMessages: {} });
});
