import type { RiskAssessment, SecurityAnalyzer, StoredAnalyzer } from '@conv/core';
import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions } from '../../src/index.ts';
import { gate, never, open, play, type Bench } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const RISKY = { confirmationPolicy: { kind: 'ConfirmRisky', confirm_unknown: false } } as const;
const oneCall = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work'] : 'done');
const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');
const low = (): RiskAssessment => ({ risk: 'LOW', reasons: [] });

async function begun(options: LocalConversationOptions, think = oneCall): Promise<Bench> {
  const bench = await play({ think }, options);
  await bench.conversation.sendMessage('go');
  return bench;
}

function assessments({ conversation }: Bench): readonly unknown[] {
  return conversation.state.pendingActions.map(({ id }) => conversation.state.assessments[id]);
}

describe('an analyzer', () => {
  test('an analyzer lets through what the policy lets through, and writes nothing of it', async () => {
    const bench = await begun({ ...RISKY, securityAnalyzer: new FakeAnalyzer(low) });
    expect((await bench.conversation.run()).status).toBe('finished');
    expect(bench.agent.begun).toHaveLength(1);
    expect(bench.conversation.state.assessments).toEqual({});
  });

  test('an analyzer is told where an action runs and which files belong to the program', async () => {
    const analyzer = new FakeAnalyzer(low);
    const places = { addresses: ['http://127.0.0.1:8000'], paths: ['/srv/keys/secret.key'] };
    const bench = await play({ think: oneCall }, { ...RISKY, securityAnalyzer: analyzer }, { protect: () => places });
    await bench.conversation.sendMessage('go');
    await bench.conversation.run();
    const { workingDir } = bench.conversation.state.workspace;
    expect(analyzer.told).toEqual([
      { signal: expect.any(AbortSignal), workingDirectory: workingDir, protectedPlaces: places },
    ]);
  });

  test("an analyzer's reason is kept only as far as a person reads it", async () => {
    const reasons = ['because '.repeat(100_000)];
    const bench = await begun({ ...RISKY, securityAnalyzer: new FakeAnalyzer(() => ({ risk: 'HIGH', reasons })) });
    await bench.conversation.run();
    const [said] = assessments(bench) as readonly RiskAssessment[];
    expect(said?.reasons).toHaveLength(1);
    expect(said?.reasons[0]?.length).toBeLessThanOrEqual(1000);
  });

  test('an analyzer holds back a high risk, and the state says why until the action has its result', async () => {
    const reasons = ['it deletes everything'];
    const bench = await begun({ ...RISKY, securityAnalyzer: new FakeAnalyzer(() => ({ risk: 'HIGH', reasons })) });
    expect((await bench.conversation.run()).status).toBe('waiting_for_confirmation');
    expect(assessments(bench)).toEqual([{ risk: 'HIGH', reasons }]);
    const [pending] = bench.conversation.state.pendingActions;
    expect(pending).toMatchObject({ security_risk: 'HIGH', reasons });
    const [stored] = (await bench.conversation.events.slice()).filter(({ id }) => id === pending?.id);
    expect(stored).not.toHaveProperty('reasons');
    await bench.conversation.reject();
    expect(bench.conversation.state.assessments).toEqual({});
  });

  test.each<[string, () => RiskAssessment | Promise<RiskAssessment>]>([
    [
      'throws',
      () => {
        throw new Error('no network');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no network'))],
    ['answers a risk that is none', () => ({ risk: 'NONE' as 'LOW', reasons: [] })],
    ['answers nothing', () => undefined as unknown as RiskAssessment],
    ['gives reasons that are no texts', () => ({ risk: 'LOW', reasons: [7 as unknown as string] })],
  ])('P4: an analyzer that %s counts as HIGH, with a reason', async (_, say) => {
    const bench = await begun({ ...RISKY, securityAnalyzer: new FakeAnalyzer(say) });
    expect((await bench.conversation.run()).status).toBe('waiting_for_confirmation');
    expect(assessments(bench)).toEqual([{ risk: 'HIGH', reasons: [expect.stringMatching(/^The security analyzer/)] }]);
    expect(bench.agent.begun).toEqual([]);
  });

  test('an analyzer that fails for one action of a response holds back all of its actions', async () => {
    let asked = 0;
    const analyzer = new FakeAnalyzer(() => (++asked === 2 ? Promise.reject(new Error('no')) : low()));
    const bench = await begun({ ...RISKY, securityAnalyzer: analyzer }, twoCalls);
    expect((await bench.conversation.run()).status).toBe('waiting_for_confirmation');
    expect(assessments(bench)).toMatchObject([{ risk: 'LOW' }, { risk: 'HIGH' }]);
  });

  test('an analyzer is not asked when no answer could hold anything back', async () => {
    const analyzer = new FakeAnalyzer(low);
    await (await begun({ securityAnalyzer: analyzer })).conversation.run();
    const finish = await begun({ ...RISKY, securityAnalyzer: analyzer }, () => ['finish']);
    expect((await finish.conversation.run()).status).toBe('finished');
    expect(analyzer.asked).toEqual([]);
  });

  test('P7: an interrupt cancels the analyzer, which does not keep a message waiting', async () => {
    const asked = gate();
    const analyzer = new FakeAnalyzer(() => {
      void asked.pass();
      return never();
    });
    const { conversation } = await begun({ ...RISKY, securityAnalyzer: analyzer });
    const running = conversation.run();
    await asked.reached;
    await conversation.sendMessage('wait');
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
    expect(conversation.state.pendingActions).toEqual([]);
  });

  test('an analyzer that is replaced while it is asked is not believed: the action counts as HIGH', async () => {
    const asked = gate();
    const slow = new FakeAnalyzer(async () => {
      await asked.pass();
      return low();
    });
    const bench = await begun({ ...RISKY, securityAnalyzer: slow });
    const running = bench.conversation.run();
    await asked.reached;
    await bench.conversation.settings.setSecurityAnalyzer(new FakeAnalyzer(low));
    asked.open();
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(assessments(bench)).toMatchObject([{ risk: 'HIGH' }]);
  });

  test('the runtime finds the analyzer of a stored conversation; without it everything is rated HIGH', async () => {
    const { conversation, store } = await play({}, { ...RISKY, securityAnalyzer: new FakeAnalyzer(low) });
    const { id } = conversation;
    await conversation.close();
    const find = ({ kind }: StoredAnalyzer): SecurityAnalyzer | undefined =>
      kind === 'FakeAnalyzer' ? new FakeAnalyzer(low) : undefined;
    for (const [analyzers, status] of [
      [undefined, 'waiting_for_confirmation'],
      [
        () => {
          throw new Error('cannot be made');
        },
        'waiting_for_confirmation',
      ],
      [find, 'finished'],
    ] as const) {
      const again = await open(
        store,
        { id, agent: new ScriptedAgent({ think: oneCall }) },
        analyzers ? { analyzers } : {},
      );
      await again.sendMessage('go');
      expect((await again.run()).status).toBe(status);
      await again.close();
    }
  });

  test('a policy set later has unrated waiting actions count as HIGH', async () => {
    const working = gate();
    const bench = await play(
      { think: twoCalls, call: () => working.pass() },
      { securityAnalyzer: new FakeAnalyzer(low) },
    );
    await bench.conversation.sendMessage('go');
    const running = bench.conversation.run();
    await working.reached;
    await bench.conversation.settings.setConfirmationPolicy(RISKY.confirmationPolicy);
    working.open();
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(assessments(bench)).toMatchObject([{ risk: 'HIGH' }]);
    expect(bench.agent.begun).toHaveLength(1);
  });

  test('P6: the assessment of a waiting action survives reopening, and moving HEAD away and back', async () => {
    const analyzer = new FakeAnalyzer(() => ({ risk: 'HIGH', reasons: ['why'] }));
    const { conversation, store, agent } = await begun({ ...RISKY, securityAnalyzer: analyzer });
    await conversation.run();
    const { id } = conversation;
    const { assessments: said, leafEventId } = conversation.state;
    await conversation.close();
    const again = await open(store, { id, agent });
    expect(again.state.assessments).toEqual(said);
    await again.history.navigateTo(null);
    await again.history.navigateTo(leafEventId);
    expect(again.state.assessments).toEqual(said);
    const fork = await open(store, { id: await again.history.fork(), agent });
    expect(fork.state.assessments).toEqual(said);
    const from = (await again.events.idAt(1)) ?? '';
    const earlier = await open(store, { id: await again.history.fork({ from }), agent });
    expect(earlier.state.assessments).toEqual({});
  });
});

describe('P10: calls that the policy allowed and that have not started', () => {
  const stricter: readonly [string, (bench: Bench) => Promise<void>][] = [
    ['a stricter policy', ({ conversation }) => conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' })],
    [
      'an analyzer that did not rate it',
      ({ conversation }) => conversation.settings.setSecurityAnalyzer({ kind: 'Other' as 'LLMSecurityAnalyzer' }),
    ],
  ];

  test.each(stricter)('P10: %s takes an allowed call back, in the same commit', async (_, change) => {
    const working = gate();
    const bench = await play({ think: twoCalls, call: () => working.pass() }, RISKY);
    const { conversation, agent, store } = bench;
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    const [, second] = conversation.state.pendingActions;
    expect(conversation.state.calls[second?.id ?? '']).toBe('allowed');
    const { appends } = store;
    await change(bench);
    expect(store.appends).toBe(appends + 1);
    expect(conversation.state.calls[second?.id ?? '']).toBeUndefined();
    working.open();
    expect((await running).status).toBe('waiting_for_confirmation');
    expect(agent.begun).toHaveLength(1);
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.begun).toHaveLength(2);
  });

  test('P10: an allowed call stays allowed under a policy that would have allowed it too', async () => {
    const working = gate();
    const { conversation } = await play({ think: twoCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.settings.setConfirmationPolicy(RISKY.confirmationPolicy);
    working.open();
    expect((await running).status).toBe('finished');
  });

  test("P10: a person's approval is believed under any policy", async () => {
    const working = gate();
    const { conversation, agent } = await play({ think: twoCalls, call: () => working.pass() });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.approve();
    await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    working.open();
    expect((await running).status).toBe('finished');
    expect(agent.begun).toHaveLength(2);
  });
});
