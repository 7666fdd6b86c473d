import type { SecurityRisk } from '../../events/index.ts';

/** How risky an action is, and why, for the person who is asked. */
export interface RiskAssessment {
  readonly risk: SecurityRisk;
  /** Short sentences; none when there is nothing to say. */
  readonly reasons: readonly string[];
}
