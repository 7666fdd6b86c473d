import type { SecurityRisk } from '../../events/index.ts';

/** The risk of an action and the reasons for it, for the person who is asked. */
export interface RiskAssessment {
  readonly risk: SecurityRisk;
  /** Short sentences; none when there is nothing to say. */
  readonly reasons: readonly string[];
}
