import type { Conversation, RunOptions } from '@conv/core';

/** Options of a run that no decision stands behind. Actions that come to wait before it begins go on waiting for a person. */
export const APPROVES_NOTHING: Pick<RunOptions, 'approves'> = { approves: false };

/**
 * Returns the options of a run after a person has decided. Approvals are recorded by name, so the run itself approves nothing more, except
 * on a server that takes joint decisions alone: there it has to approve all.
 */
export function afterDecision({ features }: Conversation): Pick<RunOptions, 'approves'> {
  return { approves: features.wholeDecisions === true };
}
