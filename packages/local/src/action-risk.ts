import type { StateFields } from '@conv/core';
import type { ActionEvent, SecurityRisk } from '@conv/core/events';

/**
 * The risk that the policy decides on. Without an analyzer UNKNOWN; `LLMSecurityAnalyzer` takes the model's own word. An
 * analyzer that this runtime cannot ask counts as HIGH, as one that failed does: a stored setting never gets weaker.
 */
export function riskOf({ securityAnalyzer }: Pick<StateFields, 'securityAnalyzer'>, action: ActionEvent): SecurityRisk {
  if (securityAnalyzer === null) return 'UNKNOWN';
  return securityAnalyzer['kind'] === 'LLMSecurityAnalyzer' ? (action.security_risk ?? 'UNKNOWN') : 'HIGH';
}
