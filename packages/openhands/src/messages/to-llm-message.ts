import {
  eventGuards,
  contentParts,
  type Event,
  type LlmConvertibleEvent,
  type MessageEvent,
  isObservation,
  textContent,
} from '@conv/core/events';
import { charactersOf, MOST_NEW_CHARACTERS } from './characters-of.ts';
import { frozen } from './frozen.ts';
import type { LlmMessage } from './llm-message.ts';
import { observationContent } from './observation-content.ts';

/** The messages of frozen events. Each step of an agent converts its whole view again, and most events were in the view before. */
const known = new WeakMap<LlmConvertibleEvent, LlmMessage>();

/**
 * The message that one event stands for, or undefined for events that the model never sees. An action event becomes an
 * assistant message with that one call; the calls of a batch are put together by {@link eventsToMessages}. The message of a frozen
 * event is frozen too, and the same each time unless long texts are made for it (decision 175).
 */
export function toLlmMessage(event: LlmConvertibleEvent): LlmMessage;
export function toLlmMessage(event: Event): LlmMessage | undefined;
export function toLlmMessage(event: Event): LlmMessage | undefined {
  const before = known.get(event as LlmConvertibleEvent);
  if (before !== undefined || !eventGuards.isLlmConvertible(event)) return before;
  // events of a log are frozen; an event that can still change is converted each time
  if (!Object.isFrozen(event)) return convert(event);
  const message = frozen(convert(event));
  if (isSmall(event, message)) known.set(event, message);
  return message;
}

/** True if a message takes little memory beside its event. Output of commands is put together anew, and screenshots get an address. */
function isSmall(event: LlmConvertibleEvent, { content }: LlmMessage): boolean {
  if (event.kind !== 'ObservationEvent') return true;
  const { observation } = event;
  const isMade = isObservation(observation, 'TerminalObservation') || isObservation(observation, 'BrowserObservation');
  return !isMade || charactersOf(content) <= MOST_NEW_CHARACTERS;
}

function convert(event: LlmConvertibleEvent): LlmMessage {
  switch (event.kind) {
    case 'SystemPromptEvent': {
      const context = event.dynamic_context;
      return plain('system', context ? [event.system_prompt, context] : [event.system_prompt]);
    }
    case 'MessageEvent': {
      const message = withDefaults(event.llm_message);
      return { ...message, content: [...message.content, ...(event.extended_content ?? [])] };
    }
    case 'ActionEvent': {
      const { reasoning_content = null, thinking_blocks = [], responses_reasoning_item = null } = event;
      const reasoning = { reasoning_content, thinking_blocks, responses_reasoning_item };
      return withDefaults({ role: 'assistant', content: event.thought, tool_calls: [event.tool_call], ...reasoning });
    }
    case 'ObservationEvent':
      return kept(event, [...observationContent(event.observation), ...(event.extended_content ?? [])]);
    case 'UserRejectObservation':
      return kept(event, [textContent(`Action rejected: ${event.rejection_reason ?? 'User rejected the action'}`)]);
    case 'AgentErrorEvent':
      return kept(event, [textContent(event.error)]);
    case 'CondensationSummaryEvent':
      return plain('user', [textContent(event.summary)]);
  }
}

function plain(role: 'system' | 'user', content: LlmMessage['content']): LlmMessage {
  return { role, content, thinking_blocks: [] };
}

function kept(call: { tool_call_id: string; tool_name: string }, content: LlmMessage['content']): LlmMessage {
  return { role: 'tool', content, tool_call_id: call.tool_call_id, name: call.tool_name, thinking_blocks: [] };
}

function withDefaults(message: MessageEvent['llm_message']): LlmMessage {
  const { role, tool_calls, tool_call_id, name, reasoning_content, responses_reasoning_item } = message;
  return {
    role,
    content: contentParts(message),
    ...(tool_calls && { tool_calls }),
    ...(typeof tool_call_id === 'string' && { tool_call_id }),
    ...(typeof name === 'string' && { name }),
    ...(typeof reasoning_content === 'string' && { reasoning_content }),
    thinking_blocks: message.thinking_blocks ?? [],
    ...(responses_reasoning_item && { responses_reasoning_item }),
  };
}
