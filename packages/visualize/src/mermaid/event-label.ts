import {
  eventGuards,
  type ActionEvent,
  type Event,
  isObservation,
  type KnownEvent,
  type ObservationEvent,
} from '@conv/core/events';
import { amount } from '../text/amounts.ts';
import { callContent, callTitle } from '../timeline/call-content.ts';
import { contentText } from '../timeline/result-content.ts';

/** Returns an event in a few words. */
export function eventLabel(event: Event): string {
  if (!eventGuards.isKnownEvent(event)) return event.kind;
  return knownLabel(event);
}

/** Returns the request of a call in a few words. */
export function callLabel(event: ActionEvent): string {
  if (event.action === undefined || event.action === null) return 'invalid call';
  const title = callTitle(callContent(event));
  return title === '' ? (event.summary ?? event.tool_name) : title;
}

/** Returns the result of a call in a few words. */
export function resultLabel({ observation }: ObservationEvent): string {
  if (observation.is_error === true) return `failed: ${firstLine(contentText(observation))}`;
  if (isObservation(observation, 'TerminalObservation') && typeof observation.exit_code === 'number') {
    return observation.exit_code < 0 ? 'still running' : `exit ${observation.exit_code}`;
  }
  return firstLine(contentText(observation)) || 'done';
}

/** True if a call failed: its tool says so, or its command. */
export function hasFailed({ observation }: ObservationEvent): boolean {
  if (observation.is_error === true) return true;
  return isObservation(observation, 'TerminalObservation') && (observation.exit_code ?? 0) > 0;
}

function knownLabel(event: KnownEvent): string {
  switch (event.kind) {
    case 'SystemPromptEvent':
      return `system prompt, ${amount(event.tools.length, 'tool')}`;
    case 'MessageEvent':
      return `${event.source}: ${firstLine(contentText(event.llm_message))}`;
    case 'ActionEvent':
      return `${event.tool_name}: ${callLabel(event)}`;
    case 'ObservationEvent':
      return `${event.tool_name}: ${resultLabel(event)}`;
    case 'UserRejectObservation':
      return `${event.tool_name}: rejected by ${event.rejection_source ?? 'user'}`;
    case 'AgentErrorEvent':
      return `${event.tool_name}: error, ${firstLine(event.error)}`;
    case 'Condensation':
      return `condensed, ${amount(new Set(event.forgotten_event_ids).size, 'event')} left out`;
    case 'ConversationErrorEvent':
    case 'ServerErrorEvent':
      return `error ${event.code}: ${firstLine(event.detail)}`;
    case 'PauseEvent':
      return 'paused';
    case 'InterruptEvent':
      return 'interrupted';
    case 'HookExecutionEvent':
      return `hook ${event.hook_event_type}${event.blocked === true ? ', blocked' : ''}`;
    case 'SecurityAnalysisEvent':
      return `rated ${Object.values(event.risks).map(String).join(', ')}`;
    case 'ACPToolCallEvent':
      return `${event.title}, ${event.status ?? 'called'}`;
    case 'ConversationStateUpdateEvent':
      return `state ${event.key ?? ''}`;
    case 'CondensationRequest':
    case 'CondensationSummaryEvent':
    case 'LLMCompletionLogEvent':
    case 'TokenEvent':
    case 'StreamingDeltaEvent':
      return event.kind;
  }
}

/** Returns the first line of a text that is not empty. */
export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
