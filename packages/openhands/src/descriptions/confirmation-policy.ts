import { z } from 'zod';
import type { SecurityRisk } from '@conv/core/events';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean } from '../schema/scalars.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

const securityRiskSchema: z.ZodType<SecurityRisk> = named('SecurityRisk', z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']));

/** Every action waits. */
export interface AlwaysConfirmPolicy {
  readonly kind: 'AlwaysConfirm';
}

const alwaysConfirmSchema: z.ZodType<AlwaysConfirmPolicy> = named(
  'AlwaysConfirm',
  kept({
    kind: z.literal('AlwaysConfirm'),
  }),
);

/** Actions of at least a risk wait. */
export interface ConfirmRiskyPolicy {
  readonly confirm_unknown?: boolean;
  readonly kind: 'ConfirmRisky';
  readonly threshold?: SecurityRisk;
}

const confirmRiskySchema: z.ZodType<ConfirmRiskyPolicy> = named(
  'ConfirmRisky',
  kept({
    confirm_unknown: absent(boolean(), true),
    kind: z.literal('ConfirmRisky'),
    threshold: absent(securityRiskSchema, 'HIGH'),
  }),
);

/** No action waits. */
export interface NeverConfirmPolicy {
  readonly kind: 'NeverConfirm';
}

const neverConfirmSchema: z.ZodType<NeverConfirmPolicy> = named(
  'NeverConfirm',
  kept({
    kind: z.literal('NeverConfirm'),
  }),
);

/** A policy of a known kind. */
export type KnownPolicy = AlwaysConfirmPolicy | ConfirmRiskyPolicy | NeverConfirmPolicy;

/** When the agent's actions wait for a person. */
export type PolicyDescription = KnownPolicy | OtherKind;

const members = {
  AlwaysConfirm: alwaysConfirmSchema,
  ConfirmRisky: confirmRiskySchema,
  NeverConfirm: neverConfirmSchema,
};

/** A policy that a client asks for: one of an unknown kind is refused, for nobody could follow it. */
export const knownPolicySchema: z.ZodType<KnownPolicy> = oneOf<KnownPolicy>({ by: 'kind', members });

/** A policy that a server tells of. */
export const policyDescriptionSchema: z.ZodType<PolicyDescription> = named(
  'ConfirmationPolicyBase',
  oneOf<PolicyDescription>({ by: 'kind', members, other: otherKindSchema, tolerant: true }),
);
