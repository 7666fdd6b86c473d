import { policies, type StateFields } from '@conv/core';
import type { ActionEvent, EventDraftOfKind } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';

import { knowsAnalyses } from '../options/releases.ts';
import type { RiskRules } from './approvals.ts';

/** The parts of an action that decide if it is rated. */
type Action = Pick<ActionEvent, 'tool_name' | 'action'>;

/**
 * True if the log shows how the actions of this response are rated: an analyzer is set, every reader knows the event, and the
 * response is more than a single call of a tool that never waits. The policy does not matter, as in OpenHands.
 */
export function showsAnalysis({ securityAnalyzer, extra }: StateFields, actions: readonly Action[]): boolean {
  if (securityAnalyzer === null || !knowsAnalyses(extra.meta)) return false;
  return policies.needsConfirmation({ kind: 'AlwaysConfirm' }, actions);
}

/** Returns the event that shows the ratings that the policy decides on. The reasons are its details. */
export function shownAnalysis(
  fields: StateFields,
  actions: readonly ActionEvent[],
  risks: RiskRules,
): EventDraftOfKind<'SecurityAnalysisEvent'> {
  const rated = actions.map((action) => [action.id, risks.assessmentOf(fields, action)] as const);
  const explained = rated.filter(([, { reasons }]) => reasons.length > 0);
  return {
    source: 'environment',
    analyzer: kindOf(fields.securityAnalyzer),
    policy: kindOf(fields.confirmationPolicy),
    risks: Object.fromEntries(rated.map(([id, { risk }]) => [id, risk])),
    details: Object.fromEntries(explained.map(([id, { reasons }]) => [id, { reasons }])),
    kind: 'SecurityAnalysisEvent',
  };
}

/** Returns the kind of a description; damage leaves any JSON. */
function kindOf(description: unknown): string {
  return isJsonObject(description) && typeof description['kind'] === 'string' ? description['kind'] : '';
}
