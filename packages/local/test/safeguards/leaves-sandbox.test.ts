import { toolWires } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { open, play, type Bench } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const ASKING = `$ ${toolWires.OUTSIDE_SANDBOX}it pushes\ngit push`;
const NEVER = { confirmationPolicy: { kind: 'NeverConfirm' } } as const;

const RATED = { security_risk: 'HIGH', reasons: expect.arrayContaining([expect.stringContaining('outside of the')]) };

/** An analyzer that finds no risk. */
function trusting(): FakeAnalyzer {
  return new FakeAnalyzer(() => ({ risk: 'LOW', reasons: ['harmless'] }));
}

async function asked(calls: readonly string[], options: Parameters<typeof play>[1] = NEVER): Promise<Bench> {
  const bench = await play({ think: ({ number }) => (number === 1 ? calls : 'done') }, options);
  await bench.conversation.sendMessage('push it');
  await bench.conversation.run();
  return bench;
}

describe('a command that asks to run outside of the sandbox', () => {
  test('P10: a command outside of the sandbox waits for a person, and the question says what is widened', async () => {
    const { conversation, agent } = await asked([ASKING]);
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect(conversation.state.pendingActions).toMatchObject([
      { security_risk: 'HIGH', reasons: [expect.stringContaining('outside of the sandbox')] },
    ]);
    expect(agent.begun).toEqual([]);
    await conversation.approve();
    await conversation.run();
    expect(agent.begun).toHaveLength(1);
    expect(conversation.state).toMatchObject({ executionStatus: 'finished', assessments: {} });
  });

  test('P10: a command outside of the sandbox waits although an analyzer rates it low', async () => {
    const securityAnalyzer = new FakeAnalyzer(() => ({ risk: 'LOW', reasons: ['harmless'] }));
    const confirmationPolicy = { kind: 'ConfirmRisky', confirm_unknown: false } as const;
    const { conversation } = await asked([ASKING], { confirmationPolicy, securityAnalyzer });
    expect(conversation.state.pendingActions).toMatchObject([
      { security_risk: 'HIGH', reasons: [expect.stringContaining('outside'), 'harmless'] },
    ]);
  });

  test.each([null, 'FakeAnalyzer'])(
    'P10: a command outside of the sandbox is rated again when HEAD returns to it, under the analyzer %s',
    async (kind) => {
      const { conversation } = await asked([ASKING], { ...NEVER, ...(kind && { securityAnalyzer: trusting() }) });
      const { id } = conversation.state.pendingActions[0]!;
      await conversation.reject();
      expect(conversation.state.assessments).toEqual({});
      await conversation.history.navigateTo(id);
      expect(conversation.state).toMatchObject({
        executionStatus: 'waiting_for_confirmation',
        pendingActions: [RATED],
      });
    },
  );

  test.each([null, 'FakeAnalyzer'])(
    'P10: a fork that begins at a command outside of the sandbox rates it again, under the analyzer %s',
    async (kind) => {
      const options = { ...NEVER, ...(kind && { securityAnalyzer: trusting() }) };
      const { conversation, store } = await asked([ASKING], options);
      const { id: from } = conversation.state.pendingActions[0]!;
      await conversation.reject();
      const fork = await open(store, { agent: new ScriptedAgent(), id: await conversation.history.fork({ from }) });
      expect(fork.state).toMatchObject({ executionStatus: 'waiting_for_confirmation', pendingActions: [RATED] });
    },
  );

  test('P10: a command outside of the sandbox holds back the other calls of its response', async () => {
    const { agent } = await asked(['work', ASKING]);
    expect(agent.begun).toEqual([]);
  });

  test('P10: a command outside of the sandbox still waits in another process and under a looser policy', async () => {
    const { conversation, store } = await asked([ASKING], { confirmationPolicy: { kind: 'AlwaysConfirm' } });
    await conversation.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
    expect(conversation.state.pendingActions).toHaveLength(1);
    await conversation.close();
    const agent = new ScriptedAgent();
    const again = await open(store, { agent, id: conversation.id });
    expect(again.state.executionStatus).toBe('waiting_for_confirmation');
    await again.reject();
    expect(agent.begun).toEqual([]);
  });

  test.each([`$  ${toolWires.OUTSIDE_SANDBOX}\nls`, `$ \n${toolWires.OUTSIDE_SANDBOX.trim()}\nls`])(
    'P10: a command outside of the sandbox waits if its mark is written in another way, as in %j',
    async (call) => {
      expect((await asked([call])).agent.begun).toEqual([]);
    },
  );

  test('a command that only mentions the mark stays inside of the sandbox', async () => {
    const { agent } = await asked([`$ echo '${toolWires.OUTSIDE_SANDBOX}'`]);
    expect(agent.begun).toHaveLength(1);
  });
});
