import { CONFIRMATION_POLICIES, type ConfirmationPolicy, type StoredPolicy } from '@conv/core';
import type { z } from 'zod';
import { boolean, documentation, documented, named, oneOf } from '../schema/index.ts';
import { otherKindSchema } from './other-kind.ts';

const { AlwaysConfirm, ConfirmRisky, NeverConfirm } = CONFIRMATION_POLICIES;

const members = {
  AlwaysConfirm: named('AlwaysConfirm', AlwaysConfirm.loose()),
  // a flag may be a text, as in every request
  ConfirmRisky: named('ConfirmRisky', ConfirmRisky.extend({ confirm_unknown: boolean().default(true) }).loose()),
  NeverConfirm: named('NeverConfirm', NeverConfirm.loose()),
};

const known = oneOf<ConfirmationPolicy>({ by: 'kind', members });

/**
 * A policy that a client asks for. An unknown kind is refused, because it could not be applied. An unknown member is refused,
 * because a misspelt member would leave its default in force.
 */
export const requestedPolicySchema: z.ZodType<ConfirmationPolicy> = documented(
  known.superRefine((policy, context) => {
    const keys = Object.keys(policy).filter((name) => !(name in CONFIRMATION_POLICIES[policy.kind].shape));
    if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: { ...policy } });
  }),
  documentation.get(known) ?? {},
);

/** A policy in an answer of a server. A policy of an unknown kind is kept. */
export const policyDescriptionSchema: z.ZodType<StoredPolicy> = named(
  'ConfirmationPolicyBase',
  oneOf<StoredPolicy>({ by: 'kind', members, other: otherKindSchema, tolerant: true }),
);
