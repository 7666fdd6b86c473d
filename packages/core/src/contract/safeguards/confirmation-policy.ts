import { z } from 'zod';

import { ConversationError } from '../errors/conversation-error.ts';
import type { ActionEvent, SecurityRisk } from '../../events/index.ts';
import { isObject, isSameJson } from '../../platform/json.ts';
import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import { wrongValue } from '../settings-input/invalid-option.ts';
import { CONFIRMATION_POLICIES, type ConfirmationPolicy, type StoredPolicy } from '../state/stored-policy.ts';

const policySchema = z.discriminatedUnion('kind', [
  CONFIRMATION_POLICIES.AlwaysConfirm,
  CONFIRMATION_POLICIES.NeverConfirm,
  CONFIRMATION_POLICIES.ConfirmRisky,
]);

/** The meanings of the policies that were read, because the values of a state never change. */
const READ = new WeakMap<object, ConfirmationPolicy | typeof UNKNOWN>();

/**
 * The meaning of a stored policy of an unknown kind, or with an unknown threshold. All actions wait under it, because it may be
 * stricter than ours. It is in no log.
 */
const UNKNOWN = { kind: 'UnknownPolicy' } as const;

const ORDER = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;

/**
 * Built-in tools that change nothing outside the conversation, with the kinds of their actions. A response that is a single
 * call of such a tool never waits. A foreign tool with the same name has actions of another kind.
 */
const EXEMPT: Readonly<Record<string, string>> = { finish: 'FinishAction', think: 'ThinkAction' };

const MEMBERS: OptionNames<Extract<ConfirmationPolicy, { kind: 'ConfirmRisky' }>> = {
  kind: true,
  threshold: true,
  confirm_unknown: true,
};

/**
 * Returns a policy from its description, with defaults filled in. Throws `INVALID_INPUT` for an unknown kind, threshold or
 * member, because a misspelt member would leave its default in force.
 */
export function parseConfirmationPolicy(description: unknown): ConfirmationPolicy {
  const parsed = policySchema.safeParse(description);
  const invalid = (message: string): ConversationError =>
    new ConversationError('INVALID_INPUT', message, { cause: parsed.error });
  if (typeof description !== 'object' || description === null)
    throw invalid(wrongValue('confirmationPolicy', "an object such as { kind: 'AlwaysConfirm' }", description));
  checkOptionNames('confirmationPolicy', description, MEMBERS, invalid);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`confirmationPolicy: ${issue?.path.join('.')}: ${issue?.message}`);
}

/** Returns the meaning of a stored policy, with defaults filled in. A value is read once. */
export function readPolicy(stored: StoredPolicy): ConfirmationPolicy | { readonly kind: 'UnknownPolicy' } {
  // damage leaves any JSON
  if (!isObject(stored)) return UNKNOWN;
  let policy = READ.get(stored);
  if (!policy) {
    policy = policySchema.safeParse(stored).data ?? UNKNOWN;
    READ.set(stored, policy);
  }
  return policy;
}

/** True if an action of this risk waits for confirmation. `UNKNOWN` compares with no threshold. */
export function shouldConfirm(
  policy: ConfirmationPolicy | { readonly kind: 'UnknownPolicy' },
  risk: SecurityRisk,
): boolean {
  if (policy.kind !== 'ConfirmRisky') return policy.kind !== 'NeverConfirm';
  return risk === 'UNKNOWN' ? policy.confirm_unknown : ORDER[risk] >= ORDER[policy.threshold];
}

/** True if the actions of a response wait for confirmation: all of them wait as soon as one does. */
export function needsConfirmation<Action extends Pick<ActionEvent, 'tool_name' | 'action'>>(
  policy: ConfirmationPolicy | { readonly kind: 'UnknownPolicy' },
  actions: readonly Action[],
  riskOf: (action: Action) => SecurityRisk = () => 'UNKNOWN',
): boolean {
  const [only] = actions;
  if (!only || (actions.length === 1 && isExempt(only))) return false;
  return actions.some((action) => shouldConfirm(policy, riskOf(action)));
}

function isExempt({ tool_name: tool, action }: Pick<ActionEvent, 'tool_name' | 'action'>): boolean {
  return Object.hasOwn(EXEMPT, tool) && action?.kind === EXEMPT[tool];
}

/**
 * Returns the policy that asks whenever one of the two does, for a conversation that may not be less strict than another (P10).
 * A policy of an unknown kind may be stricter than ours, so together with another policy everything waits.
 */
export function stricterPolicy(first: StoredPolicy, second: StoredPolicy): StoredPolicy {
  if (isSameJson(first, second)) return first;
  const [one, other] = [readPolicy(first), readPolicy(second)];
  if (one.kind === 'UnknownPolicy' || other.kind === 'UnknownPolicy') return { kind: 'AlwaysConfirm' };
  if (one.kind === 'NeverConfirm') return second;
  if (other.kind === 'NeverConfirm') return first;
  if (one.kind === 'AlwaysConfirm' || other.kind === 'AlwaysConfirm') return { kind: 'AlwaysConfirm' };
  const lower = ORDER[one.threshold] <= ORDER[other.threshold] ? one : other;
  return { ...lower, confirm_unknown: one.confirm_unknown || other.confirm_unknown };
}

/** True if the policy can ask. */
export function isPolicyActive(policy: StoredPolicy): boolean {
  return readPolicy(policy).kind !== 'NeverConfirm';
}
