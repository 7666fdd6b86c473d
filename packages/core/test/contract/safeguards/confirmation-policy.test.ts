import { describe, expect, test } from 'vitest';

import { isConversationError } from '../../../src/contract/errors/conversation-error.ts';
import type { ActionEvent, SecurityRisk } from '../../../src/events/index.ts';
import {
  isPolicyActive,
  needsConfirmation,
  parseConfirmationPolicy,
  readPolicy,
  shouldConfirm,
  stricterPolicy,
} from '../../../src/contract/safeguards/confirmation-policy.ts';
import type { ConfirmationPolicy, StoredPolicy } from '../../../src/contract/state/stored-policy.ts';
import { keptJson } from '../../../src/platform/json.ts';
import { initialFields, type StateFields } from '../../../src/contract/state/fields.ts';
import { emptyProjection } from '../../../src/engine/fold/projection.ts';
import { ReadonlyState } from '../../../src/engine/readonly-state.ts';

type ConfirmRisky = Extract<ConfirmationPolicy, { readonly kind: 'ConfirmRisky' }>;

const RISKS: readonly SecurityRisk[] = ['LOW', 'MEDIUM', 'HIGH', 'UNKNOWN'];

const action = (name: string, kind = 'MCPToolAction'): ActionEvent =>
  ({ tool_name: name, action: { kind } }) as ActionEvent;
const think = action('think', 'ThinkAction');

const risky = (threshold: 'LOW' | 'MEDIUM' | 'HIGH', confirmUnknown = true): ConfirmRisky => ({
  kind: 'ConfirmRisky',
  threshold,
  confirm_unknown: confirmUnknown,
});

describe('P10: which risks wait', () => {
  test.each<[ConfirmationPolicy, readonly SecurityRisk[]]>([
    [{ kind: 'AlwaysConfirm' }, RISKS],
    [{ kind: 'NeverConfirm' }, []],
    [risky('LOW'), RISKS],
    [risky('MEDIUM'), ['MEDIUM', 'HIGH', 'UNKNOWN']],
    [risky('HIGH'), ['HIGH', 'UNKNOWN']],
    [risky('HIGH', false), ['HIGH']],
  ])('P10: the policy %j lets these risks wait: %j', (policy, waiting) => {
    expect(RISKS.filter((risk) => shouldConfirm(policy, risk))).toEqual(waiting);
  });
});

test('P10: all actions of a response wait as soon as one does', () => {
  const actions = [action('harmless'), action('dangerous')];
  const riskOf = ({ tool_name: name }: ActionEvent): SecurityRisk => (name === 'dangerous' ? 'HIGH' : 'LOW');
  expect(needsConfirmation(risky('HIGH'), actions, riskOf)).toBe(true);
  expect(needsConfirmation(risky('HIGH'), actions.slice(0, 1), riskOf)).toBe(false);
});

test('P10: every risk is unknown without an analyzer', () => {
  expect(needsConfirmation(risky('HIGH'), [action('terminal')])).toBe(true);
  expect(needsConfirmation(risky('HIGH', false), [action('terminal')])).toBe(false);
});

test('a finish or a think call alone never waits; with another call it does', () => {
  const always = { kind: 'AlwaysConfirm' } as const;
  expect(needsConfirmation(always, [])).toBe(false);
  expect([action('finish', 'FinishAction'), think].map((call) => needsConfirmation(always, [call]))).toEqual([
    false,
    false,
  ]);
  expect(needsConfirmation(always, [think, action('terminal')])).toBe(true);
});

test.each(['finish', 'think'])('P10: a tool of others that is named %s waits like any other tool', (name) => {
  const kinds = ['MCPToolAction', `ClientAction_${name}`, 'TerminalAction', name === 'think' ? 'FinishAction' : ''];
  for (const kind of kinds) expect(needsConfirmation({ kind: 'AlwaysConfirm' }, [action(name, kind)])).toBe(true);
  expect(needsConfirmation({ kind: 'AlwaysConfirm' }, [{ tool_name: name } as ActionEvent])).toBe(true);
  expect(needsConfirmation({ kind: 'AlwaysConfirm' }, [action('deploy', 'ThinkAction')])).toBe(true);
});

test('P4: a stored policy that is not known here asks for everything', () => {
  for (const policy of [{ kind: 'OfTomorrow' }, {}, { kind: 'ConfirmRisky', threshold: 'EXTREME' }]) {
    const stored = keptJson<'policy'>(policy);
    expect(needsConfirmation(readPolicy(stored), [action('terminal')], () => 'LOW')).toBe(true);
    expect(isPolicyActive(stored)).toBe(true);
  }
});

test('P4: damage in the place of a policy asks for everything', () => {
  for (const rest of [null, 7, 'NeverConfirm', ['NeverConfirm']]) {
    expect(readPolicy(rest as never)).toEqual({ kind: 'UnknownPolicy' });
    expect(isPolicyActive(rest as never)).toBe(true);
  }
});

test('a stored policy is read with its defaults, and its JSON stays as it is', () => {
  const stored = Object.freeze({ kind: 'ConfirmRisky', of_tomorrow: [1] });
  expect(readPolicy(keptJson<'policy'>(stored))).toEqual(risky('HIGH'));
  expect(readPolicy(keptJson<'policy'>(stored))).toBe(readPolicy(keptJson<'policy'>(stored)));
  expect(stored).toEqual({ kind: 'ConfirmRisky', of_tomorrow: [1] });
});

test('a description is completed with defaults, and a wrong one is refused by name', () => {
  expect(parseConfirmationPolicy({ kind: 'ConfirmRisky' })).toEqual(risky('HIGH'));
  for (const wrong of [
    { kind: 'Sometimes' },
    { kind: 'ConfirmRisky', threshold: 'UNKNOWN' },
    { kind: 'ConfirmRisky', confirm_unknown: 'perhaps' },
    {},
    null,
    'AlwaysConfirm',
  ]) {
    const thrown = refusal(() => parseConfirmationPolicy(wrong));
    expect(isConversationError(thrown, 'INVALID_INPUT')).toBe(true);
    expect((thrown as Error).cause).toBeInstanceOf(Error);
  }
});

test('P10: confirmation mode is active with an analyzer and a policy that may ask', () => {
  const analyzer = { kind: 'LLMSecurityAnalyzer' } as const;
  const cases = [
    [analyzer, 'AlwaysConfirm'],
    [analyzer, 'NeverConfirm'],
    [null, 'AlwaysConfirm'],
    [null, 'NeverConfirm'],
  ] as const;
  const active = cases.map(([securityAnalyzer, kind]) => modeOf({ securityAnalyzer, confirmationPolicy: { kind } }));
  expect(active).toEqual([true, false, false, false]);
});

function modeOf(fields: Partial<StateFields>): boolean {
  const projection = { ...emptyProjection, fields: { ...initialFields, ...fields } };
  return new ReadonlyState(
    () => projection,
    async () => [],
  ).isConfirmationModeActive;
}

function refusal(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('P10: the stricter of two policies', () => {
  const always = { kind: 'AlwaysConfirm' } as const;
  const never = { kind: 'NeverConfirm' } as const;
  const risky = (threshold: ConfirmRisky['threshold'], confirm_unknown: boolean): ConfirmRisky => ({
    threshold,
    confirm_unknown,
    kind: 'ConfirmRisky',
  });
  const policies: readonly StoredPolicy[] = [
    always,
    never,
    ...(['LOW', 'MEDIUM', 'HIGH'] as const).flatMap((threshold) => [risky(threshold, true), risky(threshold, false)]),
  ];

  test.each(policies.flatMap((one) => policies.map((other) => [one, other] as const)))(
    'P10: the stricter policy asks whenever %j or %j does',
    (one, other) => {
      const stricter = parseConfirmationPolicy(stricterPolicy(one, other));
      for (const risk of ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH'] as const) {
        const either = [one, other].some((policy) => shouldConfirm(parseConfirmationPolicy(policy), risk));
        expect(shouldConfirm(stricter, risk)).toBe(either);
      }
    },
  );

  test('P10: the stricter of two policies is AlwaysConfirm where one of them is not known here', () => {
    const unknown = (): StoredPolicy => keptJson<'policy'>({ kind: 'AskTwice' });
    expect(stricterPolicy(unknown(), never)).toEqual(always);
    expect(stricterPolicy(unknown(), unknown())).toEqual(unknown());
  });
});
