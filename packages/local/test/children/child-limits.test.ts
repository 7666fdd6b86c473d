import { isDeepStrictEqual } from 'node:util';

import {
  parseConfirmationPolicy,
  shouldConfirm,
  type ConfirmationPolicy,
  type JsonObject,
  type SecurityAnalyzerDescription,
  type Limits,
  type StateFields,
} from '@conv/core';
import { isEvent, type SecurityRisk } from '@conv/core/events';
import { KillableStore } from '@conv/testing-harness';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions } from '../../src/index.ts';
import { gate, never, open, story } from '../support/bench.ts';
import { FakeAnalyzer } from '../support/fake-analyzer.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { fakeCipher, FakeVault } from '../support/fake-vault.ts';
import { CALL, childIds, delegatingAgent, family, ok, stored, task } from '../support/family.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const RISKS = ['LOW', 'MEDIUM', 'HIGH', 'UNKNOWN'] as const;
const LIMITS = ['maxIterations', 'maxBudgetPerRun', 'maxBudget', 'toolTimeout'] as const;
const hooksOf = (name: string): FakeHooks => new FakeHooks({ Stop: () => ({}) }, name);
const hooks = { one: hooksOf('one'), other: hooksOf('other') };
const runtime = {
  hooks: (config: JsonObject) =>
    Object.values(hooks).find((known) => JSON.stringify(known.config) === JSON.stringify(config)),
  analyzers: () => new FakeAnalyzer(() => ({ risk: 'LOW', reasons: [] })),
};

const policy: fc.Arbitrary<ConfirmationPolicy> = fc.oneof(
  fc.constant({ kind: 'NeverConfirm' as const }),
  fc.constant({ kind: 'AlwaysConfirm' as const }),
  fc.record({
    kind: fc.constant('ConfirmRisky' as const),
    threshold: fc.constantFrom('LOW' as const, 'MEDIUM' as const, 'HIGH' as const),
    confirm_unknown: fc.boolean(),
  }),
);
const amount = fc.option(fc.constantFrom(1, 2, 3, 1000), { nil: null });
const limits: fc.Arbitrary<Partial<Limits>> = fc.record(
  { maxIterations: fc.constantFrom(3, 5, 7), maxBudgetPerRun: amount, maxBudget: amount, toolTimeout: amount },
  { requiredKeys: [] },
);
const analyzer = fc.option(
  fc.constantFrom<SecurityAnalyzerDescription>({ kind: 'LLMSecurityAnalyzer' }, { kind: 'PolicyRailSecurityAnalyzer' }),
  { nil: null },
);
const chosenHooks = fc.option(fc.constantFrom(hooks.one, hooks.other), { nil: null });

/** Settings of the parent before and after the child was made, and what the task and a person ask for. */
const rules = fc.record({
  parent: fc.record({
    confirmationPolicy: policy,
    securityAnalyzer: analyzer,
    hooks: chosenHooks,
    limits,
    stuck: fc.boolean(),
  }),
  task: fc.record(
    { confirmationPolicy: policy, limits, hooks: fc.constantFrom(hooks.one.config, hooks.other.config) },
    { requiredKeys: [] },
  ),
  later: fc.record({ confirmationPolicy: policy, securityAnalyzer: analyzer, limits, stuck: fc.boolean() }),
  person: policy,
});

/** Returns where the child does not ask although the other asks, lacks its hooks, or has wider limits. */
function looser(child: StateFields, other: StateFields): readonly string[] {
  const policyOf = ({ confirmationPolicy }: StateFields): ConfirmationPolicy =>
    parseConfirmationPolicy(confirmationPolicy);
  const asks = (fields: StateFields, risk: SecurityRisk): boolean => shouldConfirm(policyOf(fields), risk);
  return [
    ...RISKS.filter((risk) => asks(other, risk) && !asks(child, risk)),
    ...LIMITS.filter((limit) => (child[limit] ?? Infinity) > (other[limit] ?? Infinity)),
    ...(other.hookConfig && !isDeepStrictEqual(child.hookConfig, other.hookConfig) ? ['hookConfig'] : []),
    ...(other.stuckDetection && !child.stuckDetection ? ['stuckDetection'] : []),
    ...(other.securityAnalyzer && !child.securityAnalyzer ? ['securityAnalyzer'] : []),
  ];
}

/** True if the child has the parent's analyzer, or the parent has none. */
function rates(child: StateFields, parent: StateFields): boolean {
  return parent.securityAnalyzer === null || isDeepStrictEqual(child.securityAnalyzer, parent.securityAnalyzer);
}

test('P10: a child is never less strict than its parent or itself before, whatever a task asks', async () => {
  await fc.assert(
    fc.asyncProperty(rules, async ({ parent: at, task: asked, later, person }) => {
      const agent = new ScriptedAgent();
      const { limits: atFirst, stuck, ...settings } = at;
      const options: LocalConversationOptions = { ...settings, ...atFirst, stuckDetection: stuck };
      const home = await family({ tasks: [], options, runtime });
      await home.go();
      const children = home.children();
      const { id } = await children.run(task(agent, asked), CALL);
      const first = await stored(home.store, id);
      expect(looser(first, home.parent.state.fields)).toEqual([]);
      expect(rates(first, home.parent.state.fields)).toBe(true);
      const own = await open(home.store, { id, agent }, runtime);
      await own.settings.setConfirmationPolicy(person);
      const { fields } = own.state;
      await own.close();
      await home.parent.settings.setConfirmationPolicy(later.confirmationPolicy);
      await home.parent.settings.setSecurityAnalyzer(later.securityAnalyzer);
      await home.parent.settings.setLimits(later.limits);
      await home.parent.settings.setStuckDetection(later.stuck);
      const { hooks: _, ...askedAgain } = asked;
      await children.run({ ...task(agent, askedAgain), id }, CALL);
      const second = await stored(home.store, id);
      for (const other of [home.parent.state.fields, fields]) expect(looser(second, other)).toEqual([]);
      expect(rates(second, home.parent.state.fields)).toBe(true);
      await home.parent.close();
    }),
    { numRuns: 60 },
  );
});

describe('costs of children', () => {
  const busy = (): ScriptedAgent => new ScriptedAgent({ think: () => ['work'] });

  test.each([
    ['of all runs', { maxBudget: 0.055 }],
    ['of the run', { maxBudgetPerRun: 0.055 }],
  ])('the cost of a child counts for the limit %s, which ends the child and its parent', async (_, options) => {
    const home = await family({ tasks: [task(busy())], options });
    expect((await home.go()).status).toBe('error');
    const { status, error } = ok(home.results[0]);
    expect(status).toBe('error');
    expect(error).toMatch(/limit \(\$0\.0550\); accumulated cost \$0\.0600\./);
    expect(home.parent.state.metrics.totalCost).toBeCloseTo(0.06);
    const last = await home.parent.events.at(-1);
    expect(last && isEvent(last, 'ConversationErrorEvent') && last.code).toBe('MaxBudgetReached');
    expect(home.agent.requests).toBe(1);
  });

  test('costs count for all descendants at the same time: each exceeds the limit by one call at most', async () => {
    const tasks = [task(busy()), task(delegatingAgent([task(busy())])), task(busy())];
    const home = await family({ tasks, options: { maxBudget: 0.205 } });
    expect((await home.go()).status).toBe('error');
    expect(home.parent.state.metrics.totalCost).toBeLessThan(0.205 + 0.04);
  });

  test('the cost of a child counts once, with what its own children spent', async () => {
    const deep = delegatingAgent([task(new ScriptedAgent()), task(new ScriptedAgent())]);
    const home = await family({ tasks: [task(deep)] });
    await home.go();
    const { id } = ok(home.results[0]);
    expect(home.parent.state.stats).toMatchObject({ agent: { calls: 2 }, [`task:${id}`]: { calls: 4 } });
    for (let again = 2; again <= 4; again++) {
      await home.children().run({ prompt: 'more', id, agent: deep }, CALL);
      expect(home.parent.state.stats[`task:${id}`]).toMatchObject({ calls: 3 + again, promptTokens: 10 * (3 + again) });
    }
    const before = home.parent.state.stats;
    await home.parent.close();
    const later = await open(home.store, { id: home.parent.id, agent: home.agent });
    expect(later.state.stats).toEqual(before);
  });

  test('the cost of a child is counted after a crash that came before it was counted', async () => {
    const store = new KillableStore();
    const held = gate();
    const agent: ScriptedAgent = new ScriptedAgent({
      think: ({ number }) => (number === 3 ? 'helped' : ['work']),
      call: () => (agent.begun.length === 2 ? held.pass().then(() => never()) : 'ok'),
    });
    const home = await family({ tasks: [task(agent)], store });
    void home.go().catch(() => {});
    await held.reached;
    await store.kill();
    const [childId = ''] = await childIds(store);
    const again = await open(store, { id: home.parent.id, agent: home.agent });
    expect(again.state.stats[`task:${childId}`]).toMatchObject({ calls: 2 });
    expect(again.state.agentState).toEqual({});
    expect(await story(again)).toBe('system user action error pause');
    const own = await open(store, { id: childId, agent });
    expect(await story(own)).toBe('system user action result action error pause');
  });

  test('costs are looked up for children that were at work, and for no others', async () => {
    const home = await family({ tasks: [task(new ScriptedAgent())] });
    await home.go();
    const { id } = ok(home.results[0]);
    const unknown = '0197b5a0-0000-7000-8000-00000000000a';
    const other = await family({ tasks: [], store: home.store });
    await other.go();
    await home.parent.state.update({
      set: {
        stats: {},
        agentState: {
          children_at_work: { parent: home.parent.id, calls: { [id]: 'a', [unknown]: 'b', [other.parent.id]: 'c' } },
          kept: 1,
        },
      },
    });
    await home.parent.close();
    const again = await open(home.store, { id: home.parent.id, agent: home.agent });
    expect(again.state.stats).toMatchObject({ [`task:${id}`]: { calls: 1 } });
    expect(Object.keys(again.state.stats)).toEqual([`task:${id}`]);
    expect(again.state.agentState).toEqual({ kept: 1 });
  });
});

describe("P9: a child's secrets are those of its parent", () => {
  const VALUE = 'correct-horse-battery';
  const withVault = { secrets: (options: ConstructorParameters<typeof FakeVault>[0]) => new FakeVault(options) };

  /** A child whose tool is told its secrets, and says what it was told. */
  function teller(): ScriptedAgent {
    let secrets:
      | { environmentFor: (text: string, signal: AbortSignal) => Promise<{ environment: object }> }
      | undefined;
    return new ScriptedAgent({
      think: ({ number }) => (number === 1 ? ['work'] : 'helped'),
      onStart: (session) => void (secrets = session.secrets),
      call: async () => JSON.stringify(await secrets?.environmentFor('$TOKEN $LATER', CALL.signal)),
    });
  }

  async function everything(store: Parameters<typeof stored>[0], id: string): Promise<string> {
    const reader = await store.read(id);
    const commits = [];
    for await (const commit of reader?.commits() ?? []) commits.push(commit);
    return JSON.stringify(commits);
  }

  test.each([[undefined], [fakeCipher()]])(
    'P9: a child masks the secrets of its parent in its log, with cipher %o',
    async (cipher) => {
      const agent = teller();
      const home = await family({
        tasks: [task(agent)],
        options: { secrets: { TOKEN: VALUE, LATER: () => 'staple-staple-staple' }, ...(cipher ? { cipher } : {}) },
        runtime: withVault,
      });
      await home.go();
      const { id } = ok(home.results[0]);
      const log = await everything(home.store, id);
      expect(log).toContain('<secret-hidden>');
      for (const value of [VALUE, 'staple-staple-staple']) expect(log).not.toContain(value);
      // what a source answered the child stays masked in the parent, too, after a restart
      if (!cipher) return;
      const learned = home.parent.state.hiddenValues.map((token) => cipher.decrypt(token));
      expect(learned).toContain('staple-staple-staple');
      expect((await stored(home.store, id)).hiddenValues).toEqual(home.parent.state.hiddenValues);
    },
  );

  test('P9: a rotated secret is masked in a child by its old and its new value', async () => {
    const held = gate();
    const agent = new ScriptedAgent({
      think: ({ number }) => (number === 1 ? ['work'] : 'helped'),
      call: async () => {
        await held.pass();
        return `${VALUE} and staple-staple-staple`;
      },
    });
    const home = await family({ tasks: [task(agent)], options: { secrets: { TOKEN: VALUE } }, runtime: withVault });
    const going = home.go();
    await held.reached;
    await home.parent.settings.updateSecrets({ TOKEN: 'staple-staple-staple' });
    held.open();
    await going;
    const log = await everything(home.store, ok(home.results[0]).id);
    for (const value of [VALUE, 'staple-staple-staple']) expect(log).not.toContain(value);
  });

  test('P9: a secret that a person gave to a child stays masked and stored', async () => {
    const cipher = fakeCipher();
    const agent = new ScriptedAgent({ think: () => 'own-own-own-own' });
    const home = await family({ tasks: [], options: { cipher, secrets: { TOKEN: VALUE } }, runtime: withVault });
    await home.go();
    const { id } = await home.children().run(task(new ScriptedAgent()), CALL);
    const own = await open(home.store, { id, agent: new ScriptedAgent(), cipher }, withVault);
    await own.settings.updateSecrets({ OWN: 'own-own-own-own' });
    await own.close();
    const { answer } = await home.children().run({ prompt: 'say it', id, agent }, CALL);
    expect(answer).toBe('<secret-hidden>');
    const { secret_sources: sources } = (await stored(home.store, id)).secretRegistry as { secret_sources: object };
    expect(Object.keys(sources).toSorted()).toEqual(['OWN', 'TOKEN']);
    expect(home.parent.settings.secrets.map(({ name }) => name)).toEqual(['TOKEN']);
  });
});
