import { type AssessOptions, errorText, type RiskAssessment, type SecurityAnalyzer } from '@conv/core';
import type { EventDraftOfKind, SecurityRisk } from '@conv/core/events';

const RISKS: ReadonlySet<unknown> = new Set<SecurityRisk>(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']);
const MAX_REASONS = 20;

/** Returns the analyzer's assessment of an action; `HIGH` with the reason when it fails or returns no valid assessment. */
export async function askAnalyzer(
  analyzer: SecurityAnalyzer,
  action: EventDraftOfKind<'ActionEvent'>,
  options: AssessOptions,
): Promise<RiskAssessment> {
  try {
    const answer: unknown = await analyzer.assess(action, options);
    if (isAssessment(answer)) return { risk: answer.risk, reasons: answer.reasons.slice(0, MAX_REASONS) };
    return { risk: 'HIGH', reasons: ['The security analyzer returned no valid assessment.'] };
  } catch (error) {
    options.signal.throwIfAborted();
    const why = errorText(error);
    return { risk: 'HIGH', reasons: [`The security analyzer failed: ${why}`] };
  }
}

function isAssessment(value: unknown): value is RiskAssessment {
  if (typeof value !== 'object' || value === null || !('risk' in value) || !RISKS.has(value.risk)) return false;
  return 'reasons' in value && Array.isArray(value.reasons) && value.reasons.every((item) => typeof item === 'string');
}
