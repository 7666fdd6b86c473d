import type { ConfirmationPolicyInput } from '@conv/core';

/** The policies that a round passes through, each stricter than the one before. Risks are unknown, so the second asks, too. */
export const POLICIES: readonly ConfirmationPolicyInput[] = [
  { kind: 'NeverConfirm' },
  { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
  { kind: 'AlwaysConfirm' },
];

/** Returns the place of a policy among {@link POLICIES}; an unknown policy counts as the strictest. */
export function strictnessOf(policy: unknown): number {
  const kind = typeof policy === 'object' && policy !== null && 'kind' in policy ? policy.kind : undefined;
  const place = POLICIES.findIndex((known) => known.kind === kind);
  return place === -1 ? POLICIES.length - 1 : place;
}
