import type { RiskAssessment, SecurityAnalyzer } from '@conv/core';
import { drafts, type EventDraftOfKind, type JsonObject } from '@conv/core/events';

const { signal } = new AbortController();

/** An action of a tool with these members. */
export function actionWith(
  members: JsonObject,
  said: Partial<EventDraftOfKind<'ActionEvent'>> = {},
): EventDraftOfKind<'ActionEvent'> {
  return drafts.action({
    action: { kind: 'TerminalAction', ...members } as never,
    tool_name: 'terminal',
    tool_call_id: 'call_1',
    tool_call: { id: 'call_1', name: 'terminal', arguments: JSON.stringify(members), origin: 'completion' },
    llm_response_id: 'response_1',
    ...said,
  }) as EventDraftOfKind<'ActionEvent'>;
}

/** Resolves the analyzer's assessment of a command. */
export async function rate(analyzer: SecurityAnalyzer, command: string): Promise<RiskAssessment> {
  return await analyzer.assess(actionWith({ command }), { signal });
}
