import type { EventDraftOfKind, SecurityRisk } from '../events/index.ts';
import type { JsonObject } from '../json.ts';

/** How risky an action is, and why, for the person who is asked. */
export interface RiskAssessment {
  readonly risk: SecurityRisk;
  /** Short sentences; none when there is nothing to say. */
  readonly reasons: readonly string[];
}

/** Rates actions before they run; the policy decides on its word. */
export interface SecurityAnalyzer {
  /** As the wire describes it, with `kind`. What a stored conversation finds it again by. */
  describe(): JsonObject;
  /**
   * Rates the action as it will run, secrets masked. What it throws, and a risk that is none of the four, count as `HIGH`.
   * Must heed `signal`: an interrupt does not wait for it.
   */
  assess(
    action: EventDraftOfKind<'ActionEvent'>,
    options: { readonly signal: AbortSignal },
  ): RiskAssessment | Promise<RiskAssessment>;
}

/** Finds the analyzer of a stored description; `undefined` for a kind that it does not know, whose actions then count as `HIGH`. */
export type SecurityAnalyzerFactory = (description: JsonObject) => SecurityAnalyzer | undefined;
