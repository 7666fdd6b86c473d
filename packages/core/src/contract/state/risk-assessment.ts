import type { SecurityRisk } from '../../events/index.ts';

/** The risk of an action and the reasons for it, for the person who is asked. */
export interface RiskAssessment {
  readonly risk: SecurityRisk;
  /** Short sentences; empty when there are no reasons. */
  readonly reasons: readonly string[];
}
