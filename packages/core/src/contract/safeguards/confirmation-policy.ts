import { z } from 'zod';

import { ConversationError } from '../errors/conversation-error.ts';
import type { ActionEvent, SecurityRisk } from '../../events/index.ts';
import { isSameJson, type JsonObject } from '../../platform/json.ts';
import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import { wrongValue } from '../settings-input/wrong-value.ts';

/** Every action waits for a person. */
export interface AlwaysConfirm {
  readonly kind: 'AlwaysConfirm';
}

/** No action waits. The default. */
export interface NeverConfirm {
  readonly kind: 'NeverConfirm';
}

/** Actions of at least this risk wait; actions of unknown risk wait too unless told otherwise. */
export interface ConfirmRisky {
  readonly kind: 'ConfirmRisky';
  /** The lowest risk that waits. Default `HIGH`. */
  readonly threshold: 'LOW' | 'MEDIUM' | 'HIGH';
  /** Default `true`. */
  readonly confirm_unknown: boolean;
}

/** The rule that decides when a person is asked before tools run. */
export type ConfirmationPolicy = AlwaysConfirm | NeverConfirm | ConfirmRisky;

/** A confirmation policy as callers give it: members with a default may be left out. */
export type ConfirmationPolicyInput =
  | AlwaysConfirm
  | NeverConfirm
  | (Pick<ConfirmRisky, 'kind'> & Partial<Omit<ConfirmRisky, 'kind'>>);

/** The schemas of confirmation policies by their kind. */
export const CONFIRMATION_POLICIES: {
  readonly AlwaysConfirm: z.ZodObject<{ kind: z.ZodLiteral<'AlwaysConfirm'> }>;
  readonly NeverConfirm: z.ZodObject<{ kind: z.ZodLiteral<'NeverConfirm'> }>;
  readonly ConfirmRisky: z.ZodObject<{
    threshold: z.ZodDefault<z.ZodEnum<{ LOW: 'LOW'; MEDIUM: 'MEDIUM'; HIGH: 'HIGH' }>>;
    confirm_unknown: z.ZodDefault<z.ZodBoolean>;
    kind: z.ZodLiteral<'ConfirmRisky'>;
  }>;
} = {
  AlwaysConfirm: z.object({ kind: z.literal('AlwaysConfirm') }),
  NeverConfirm: z.object({ kind: z.literal('NeverConfirm') }),
  ConfirmRisky: z.object({
    threshold: z.enum(['LOW', 'MEDIUM', 'HIGH']).default('HIGH'),
    confirm_unknown: z.boolean().default(true),
    kind: z.literal('ConfirmRisky'),
  }),
};

const policySchema = z.discriminatedUnion('kind', [
  CONFIRMATION_POLICIES.AlwaysConfirm,
  CONFIRMATION_POLICIES.NeverConfirm,
  CONFIRMATION_POLICIES.ConfirmRisky,
]);

const ORDER = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;

/**
 * Built-in tools that change nothing outside the conversation, with the kinds of their actions. A response that is a single
 * call of such a tool never waits. A foreign tool with the same name has actions of another kind.
 */
const EXEMPT: Readonly<Record<string, string>> = { finish: 'FinishAction', think: 'ThinkAction' };

const MEMBERS: OptionNames<ConfirmRisky> = { kind: true, threshold: true, confirm_unknown: true };

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

/** True if an action of this risk waits for confirmation. `UNKNOWN` compares with no threshold. */
export function shouldConfirm(policy: ConfirmationPolicy, risk: SecurityRisk): boolean {
  if (policy.kind !== 'ConfirmRisky') return policy.kind === 'AlwaysConfirm';
  return risk === 'UNKNOWN' ? policy.confirm_unknown : ORDER[risk] >= ORDER[policy.threshold];
}

/**
 * True if the actions of a response wait for confirmation: all of them wait as soon as one does. A stored policy of an unknown
 * kind asks for everything, because it may be stricter than ours.
 */
export function needsConfirmation(
  policy: JsonObject,
  actions: readonly ActionEvent[],
  riskOf: (action: ActionEvent) => SecurityRisk = () => 'UNKNOWN',
): boolean {
  const [only] = actions;
  if (!only || (actions.length === 1 && isExempt(only))) return false;
  const parsed = policySchema.safeParse(policy);
  return !parsed.success || actions.some((action) => shouldConfirm(parsed.data, riskOf(action)));
}

function isExempt({ tool_name: tool, action }: ActionEvent): boolean {
  return Object.hasOwn(EXEMPT, tool) && action?.kind === EXEMPT[tool];
}

/**
 * Returns the policy that asks whenever one of the two does, for a conversation that may not be less strict than another (P10).
 * A policy of an unknown kind may be stricter than ours, so together with another policy everything waits.
 */
export function stricterPolicy(first: JsonObject, second: JsonObject): JsonObject {
  if (isSameJson(first, second)) return first;
  const [one, other] = [policySchema.safeParse(first), policySchema.safeParse(second)];
  if (!one.success || !other.success) return { kind: 'AlwaysConfirm' };
  if (one.data.kind === 'NeverConfirm') return second;
  if (other.data.kind === 'NeverConfirm') return first;
  if (one.data.kind === 'AlwaysConfirm' || other.data.kind === 'AlwaysConfirm') return { kind: 'AlwaysConfirm' };
  const [lower, higher] = [one.data, other.data].toSorted((a, b) => ORDER[a.threshold] - ORDER[b.threshold]);
  return {
    ...(lower as ConfirmRisky),
    confirm_unknown: lower?.confirm_unknown === true || higher?.confirm_unknown === true,
  };
}

/** True if the policy can ask. */
export function isPolicyActive(policy: JsonObject): boolean {
  return policy['kind'] !== 'NeverConfirm';
}

/** True if an analyzer is set and the policy is not NeverConfirm (P10). It only reports; the policy alone decides. */
export function isConfirmationModeActive(state: {
  readonly securityAnalyzer: JsonObject | null;
  readonly confirmationPolicy: JsonObject;
}): boolean {
  return state.securityAnalyzer !== null && isPolicyActive(state.confirmationPolicy);
}
