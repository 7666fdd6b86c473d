import { isConversationError, type AgentSession, type ConversationState, type Transaction } from '@conv/core';
import { textContent, type ActionEvent, type EventDraft } from '@conv/core/events';

/** What a result is enriched with. */
export interface ResultEnriching {
  readonly state: Pick<ConversationState, 'mask'>;
  readonly session: Pick<AgentSession, 'enrichResult'>;
}

/**
 * The result of a call with what the agent adds to it. A part of the commit that stores it: what was added is on record as soon
 * as the result is, and comes once. Only what a tool answered is added to. A result is never lost for it: where it cannot be
 * added, because the event would be too large or the agent fails, the result stays as it is.
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
    // with another result there may be room for it
    if (!isConversationError(error, 'EVENT_TOO_LARGE')) warn(state.mask.error(error));
    return result;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'RuleWarning');
}
