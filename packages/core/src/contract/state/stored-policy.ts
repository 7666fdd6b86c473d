import { z } from 'zod';

import type { KeptJson } from '../../platform/json.ts';

/** The schemas of confirmation policies by their kind. */
export const CONFIRMATION_POLICIES = {
  /** Every action waits for a person. */
  AlwaysConfirm: z.object({ kind: z.literal('AlwaysConfirm') }),
  /** No action waits. The default. */
  NeverConfirm: z.object({ kind: z.literal('NeverConfirm') }),
  /** Actions of at least this risk wait; actions of unknown risk wait too unless told otherwise. */
  ConfirmRisky: z.object({
    /** The lowest risk that waits. Default `HIGH`. */
    threshold: z.enum(['LOW', 'MEDIUM', 'HIGH']).default('HIGH'),
    /** Default `true`. */
    confirm_unknown: z.boolean().default(true),
    kind: z.literal('ConfirmRisky'),
  }),
};

/** No action waits. The default. */
export type NeverConfirm = Readonly<z.output<typeof CONFIRMATION_POLICIES.NeverConfirm>>;

/** The rule that decides when a person is asked before tools run. */
export type ConfirmationPolicy = Readonly<z.output<(typeof CONFIRMATION_POLICIES)[keyof typeof CONFIRMATION_POLICIES]>>;

/** A confirmation policy as callers give it: members with a default may be left out. */
export type ConfirmationPolicyInput = Readonly<
  z.input<(typeof CONFIRMATION_POLICIES)[keyof typeof CONFIRMATION_POLICIES]>
>;

/**
 * A confirmation policy in the state and in files: a policy of this project, or the JSON that another program wrote. It is kept
 * and sent unchanged. Every decision uses the meaning that `readPolicy` returns.
 */
export type StoredPolicy = ConfirmationPolicy | KeptJson<'policy'>;
