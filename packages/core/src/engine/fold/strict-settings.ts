import type { StateFields } from '../../contract/state/fields.ts';
import { stricterPolicy } from '../../contract/safeguards/confirmation-policy.ts';

/** Returns settings no weaker than either side (P4, P10). Of two analyzers and of two sets of hooks the first side's stay. */
export function strictSettings(
  first: StateFields,
  second: Partial<StateFields>,
): Pick<
  StateFields,
  | 'confirmationPolicy'
  | 'securityAnalyzer'
  | 'hookConfig'
  | 'stuckDetection'
  | 'maxIterations'
  | 'maxBudgetPerRun'
  | 'maxBudget'
  | 'toolTimeout'
> {
  const policy = second.confirmationPolicy;
  const securityAnalyzer = first.securityAnalyzer ?? second.securityAnalyzer ?? null;
  // An analyzer could rate actions as harmless that one side asks about because no analyzer rates them.
  const asksAll = securityAnalyzer !== null && (asksUnrated(first) || asksUnrated(second));
  const stricter = policy ? stricterPolicy(first.confirmationPolicy, policy) : first.confirmationPolicy;
  return {
    confirmationPolicy: asksAll ? { kind: 'AlwaysConfirm' } : stricter,
    securityAnalyzer,
    hookConfig: first.hookConfig ?? second.hookConfig ?? null,
    stuckDetection: first.stuckDetection || (second.stuckDetection ?? false),
    maxIterations: Math.min(first.maxIterations, second.maxIterations ?? first.maxIterations),
    maxBudgetPerRun: smaller(first.maxBudgetPerRun, second.maxBudgetPerRun),
    maxBudget: smaller(first.maxBudget, second.maxBudget),
    toolTimeout: smaller(first.toolTimeout, second.toolTimeout),
  };
}

/** True if actions without a rating need a person, and there is no analyzer. */
function asksUnrated({ confirmationPolicy: policy, securityAnalyzer }: Partial<StateFields>): boolean {
  return securityAnalyzer === null && policy?.['kind'] === 'ConfirmRisky' && policy['confirm_unknown'] !== false;
}

function smaller(first: number | null, second: number | null | undefined): number | null {
  if (first === null || second === null || second === undefined) return first ?? second ?? null;
  return Math.min(first, second);
}
