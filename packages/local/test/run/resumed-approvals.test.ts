import { describe, expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { play, story } from '../support/bench.ts';
import { inSecondCall, orphan } from '../support/dying.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;
const RISKY = { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true } as const;

describe('P10: taking a run up approves nothing', () => {
  test('a call that needs approval by the policy waits', async () => {
    const left = await orphan(inSecondCall, { confirmationPolicy: ALWAYS }, {}, async (conversation) => {
      await conversation.run();
      await conversation.approve();
    });
    const { conversation, agent } = await left.adopt();
    expect(await conversation.resumeRun()).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
    expect([agent.begun, conversation.state.pendingActions.length]).toEqual([[], 1]);
    await conversation.approve();
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
  });

  test('P10: a call that a person left open when others were approved is not executed because it is harmless', async () => {
    const analyzer = (): FakeAnalyzer =>
      new FakeAnalyzer((tool) => ({ risk: tool === 'risky' ? 'HIGH' : 'LOW', reasons: [] }));
    const left = await orphan(
      (die) => ({ think: () => ['risky', 'safe'], call: () => die() }),
      { confirmationPolicy: RISKY, securityAnalyzer: analyzer() },
      { analyzers: analyzer },
      async (conversation) => {
        await conversation.run();
        await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
      },
    );
    const { conversation, agent } = await left.adopt({}, {}, { analyzers: analyzer });
    expect((await conversation.resumeRun()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test('the analyzer is asked again, and a call that it rates harmless is executed', async () => {
    const analyzer = (): FakeAnalyzer => new FakeAnalyzer(() => ({ risk: 'LOW', reasons: [] }));
    const left = await orphan(
      inSecondCall,
      { confirmationPolicy: RISKY, securityAnalyzer: analyzer() },
      { analyzers: analyzer },
    );
    const { conversation, agent } = await left.adopt({}, {}, { analyzers: analyzer });
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(agent.begun).toHaveLength(1);
  });

  test('P10: a resumed run executes only calls that a person approves between opening and resuming', async () => {
    const left = await orphan(
      (die) => {
        let calls = 0;
        return { think: () => ['work', 'work', 'work', 'work'], call: () => (++calls === 2 ? die() : 'ok') };
      },
      { confirmationPolicy: ALWAYS },
      {},
      async (conversation) => {
        await conversation.run();
        await conversation.approve();
      },
    );
    const { conversation, agent } = await left.adopt();
    const [third, fourth] = conversation.state.pendingActions;
    await conversation.approve([fourth?.id ?? '']);
    expect((await conversation.resumeRun()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([fourth?.tool_call_id]);
    expect(conversation.state.pendingActions.map(({ id }) => id)).toEqual([third?.id]);
  });

  test('an approval for a run that was not resumed yet is forgotten with its process: the policy decides', async () => {
    const left = await orphan((die) => {
      let calls = 0;
      return { think: () => ['work', 'work', 'work'], call: () => (++calls === 1 ? die() : 'ok') };
    });
    const { conversation: second } = await left.adopt();
    await second.approve([second.state.pendingActions[0]?.id ?? '']);
    await left.store.kill();
    const { conversation, agent } = await left.adopt();
    expect([conversation.interruptedRun, conversation.state.calls]).toEqual([true, {}]);
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(agent.begun).toHaveLength(2);
  });

  test('P10: run approves nothing while the run is on record as running', async () => {
    const left = await orphan(inSecondCall, { confirmationPolicy: ALWAYS }, {}, async (conversation) => {
      await conversation.run();
      await conversation.approve();
    });
    const { conversation, agent } = await left.adopt();
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toEqual([]);
  });

  test('P10: run approves nothing behind a store that failed', async () => {
    const { conversation, store, agent } = await play(
      { think: () => ['work', 'work'], call: () => store.refuse() },
      { interruptedRun: 'resume', confirmationPolicy: ALWAYS },
    );
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.run().catch(() => {});
    store.onAppend = undefined;
    expect([agent.begun.length, conversation.interruptedRun]).toEqual([1, true]);
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toHaveLength(1);
  });

  test('a message that came meanwhile rejects what waits', async () => {
    const left = await orphan(inSecondCall, { confirmationPolicy: ALWAYS }, {}, async (conversation) => {
      await conversation.run();
      await conversation.approve();
    });
    const { conversation, agent } = await left.adopt();
    expect(await conversation.sendMessage('stop that')).toMatchObject({ queued: true });
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await story(conversation, 5)).toBe('result error reject user agent');
    expect(agent.begun).toEqual([]);
  });

  test('a call with an open question still waits after the policy was loosened', async () => {
    const left = await orphan(
      (die) => ({ think: () => ['work', 'work'], call: () => die() }),
      { confirmationPolicy: ALWAYS },
      {},
      async (conversation) => {
        await conversation.run();
        await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
      },
    );
    const { conversation, agent } = await left.adopt();
    expect([conversation.state.executionStatus, conversation.interruptedRun]).toEqual([
      'waiting_for_confirmation',
      false,
    ]);
    await conversation.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
    expect(await conversation.resumeRun()).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
    expect(agent.begun).toEqual([]);
  });

  test('P10: a message queued while a person is asked rejects the waiting call and is answered', async () => {
    let live: LocalConversation | undefined;
    const call = async (die: () => Promise<never>): Promise<never> => {
      await live?.sendMessage('leave the other');
      return die();
    };
    const left = await orphan(
      (die) => ({ think: () => ['work', 'work'], call: () => call(die) }),
      { confirmationPolicy: ALWAYS },
      {},
      async (conversation) => {
        live = conversation;
        await conversation.run();
        await conversation.approve([conversation.state.pendingActions[0]?.id ?? '']);
      },
    );
    const { conversation, agent } = await left.adopt();
    expect([conversation.interruptedRun, conversation.state.queue.length]).toEqual([true, 1]);
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await story(conversation, 2)).toBe('action action error reject user agent');
    expect(agent.begun).toEqual([]);
  });
});
