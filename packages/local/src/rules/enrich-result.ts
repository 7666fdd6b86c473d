import { isConversationError, type AgentSession, type ConversationState, type Transaction } from '@conv/core';
import { textContent, type ActionEvent, type EventDraft } from '@conv/core/events';

export interface ResultEnriching {
  readonly state: Pick<ConversationState, 'mask'>;
  readonly session: Pick<AgentSession, 'enrichResult'>;
}

/**
 * Returns a call's result with the content that the agent adds. It belongs to the commit that stores the result, so the addition
 * is durable with it and happens once. Only observations of tools are enriched. If the event would be too large or the agent
 * fails, the result stays as it is, so that no result is lost.
 */
export function enrichResult(
  transaction: Transaction,
  action: ActionEvent,
  result: EventDraft,
  { state, session }: ResultEnriching,
): EventDraft {
  if (result.kind !== 'ObservationEvent' || !session.enrichResult) return result;
  const { activatedPathRules: activated } = transaction.state;
  try {
    const { extendedContent, activatedRules } = session.enrichResult(action, { activated });
    if (extendedContent.length === 0) return result;
    const { extended_content: content = [] } = result;
    const added = extendedContent.map((text) => textContent(text));
    const enriched: EventDraft = { ...result, extended_content: [...content, ...added] };
    transaction.validate(enriched);
    if (activatedRules.length > 0) transaction.update({ add: { activatedPathRules: activatedRules } });
    return enriched;
  } catch (error) {
    // a later result may have room for the addition
    if (!isConversationError(error, 'EVENT_TOO_LARGE')) warn(state.mask.error(error));
    return result;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'RuleWarning');
}
