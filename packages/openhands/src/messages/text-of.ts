import { checks } from '@conv/core';
import { eventGuards, contentParts, type Event, joinedText, narrowEvent } from '@conv/core/events';
import { observationContent } from './observation-content.ts';

/**
 * Returns the text of an event: of a message, of a tool's result as the model reads it, of a finish call's answer, of an error, a
 * rejection or a summary. Images are left out. Returns `''` for an event without text.
 */
export function textOf(given: Event): string {
  if (typeof given?.kind !== 'string') throw new TypeError(checks.wrongValue('textOf: event', 'an event', given));
  if (eventGuards.isFinishCall(given)) return given.action.message;
  const event = narrowEvent(given);
  if (event.kind === 'MessageEvent') return joinedText(contentParts(event.llm_message));
  if (event.kind === 'SystemPromptEvent') return event.system_prompt.text;
  if (event.kind === 'ObservationEvent') return joinedText(observationContent(event.observation));
  if (event.kind === 'AgentErrorEvent') return event.error;
  if (event.kind === 'UserRejectObservation') return event.rejection_reason ?? '';
  if (event.kind === 'ConversationErrorEvent' || event.kind === 'ServerErrorEvent') return event.detail;
  const isSummary = event.kind === 'Condensation' || event.kind === 'CondensationSummaryEvent';
  return isSummary ? (event.summary ?? '') : '';
}
