import {
  contentParts,
  eventGuards,
  isEvent,
  joinedText,
  textContent,
  type ActionEvent,
  type ContentPart,
  type Event,
  type MessageEvent,
  type ObservationLikeEvent,
} from '@conv/core/events';

import type { AnswerItem, CallItem, CallResult, TurnItem } from './turn-item.ts';

/** An event with its number in the log. */
export interface NumberedEvent {
  readonly index: number;
  readonly event: Event;
}

/**
 * Returns the items that an event begins, in their order; none for an event that no client shows, and for a result, which
 * {@link answeredCall} adds to its call.
 */
export function itemsOf({ index, event }: NumberedEvent): readonly TurnItem[] {
  const base = { id: event.id, index, timestamp: event.timestamp };
  if (isEvent(event, 'MessageEvent')) return [messageOf(event, base)];
  if (isEvent(event, 'ActionEvent')) return [...thoughtOf(event, base), callOf(event, index)];
  if (isEvent(event, 'Condensation')) {
    const hidden = new Set(event.forgotten_event_ids).size;
    return [{ ...base, kind: 'condensation', hidden, summary: event.summary ?? '' }];
  }
  if (!isEvent(event, 'ConversationErrorEvent')) return [];
  const retryable = event.classification?.retryable === true;
  return [{ ...base, kind: 'error', code: event.code, detail: event.detail, retryable }];
}

/** Returns the call of an action, without a result. */
export function callOf(event: ActionEvent, index: number): CallItem {
  return {
    kind: 'call',
    id: `${event.id}:call`,
    index,
    timestamp: event.timestamp,
    actionId: event.id,
    toolCallId: event.tool_call_id,
    tool: event.tool_name,
    input: event.tool_call.arguments,
    ...(event.action ? { action: event.action } : {}),
    summary: event.summary ?? '',
    risk: event.security_risk ?? 'UNKNOWN',
    reasons: [],
    phase: 'open',
    event,
  };
}

/** True if this is the result of the call: by action id, or by tool call id if the result names no action. */
export function answers({ actionId, toolCallId }: CallItem, result: ObservationLikeEvent): boolean {
  if ('action_id' in result && typeof result.action_id === 'string') return result.action_id === actionId;
  return result.tool_call_id === toolCallId;
}

/** Returns a call with its result, and after a finish call that went through the answer that it gave. */
export function answeredCall(call: CallItem, event: ObservationLikeEvent, index: number): readonly TurnItem[] {
  // as the call would be read from the log alone, so that every reading ends with the same item
  const read = { risk: call.event.security_risk ?? 'UNKNOWN', reasons: [] } as const;
  const answered: CallItem = { ...call, ...read, phase: 'done', result: resultOf(event, index) };
  const { event: action } = call;
  if (!eventGuards.isFinishResult(event) || !eventGuards.isFinishCall(action)) return [answered];
  const { message: text } = action.action;
  const { id, timestamp } = event;
  return [answered, { kind: 'answer', id, index, timestamp, text, reasoning: '', content: [textContent(text)] }];
}

/** The answer in an event of the agent, as far as pieces of it are streamed; `undefined` for all other events. */
export function answerIn(event: Event): Pick<AnswerItem, 'text' | 'reasoning'> | undefined {
  if (event.source !== 'agent') return undefined;
  if (isEvent(event, 'ActionEvent')) return { text: joinedText(event.thought), reasoning: reasoningOf(event) };
  if (!isEvent(event, 'MessageEvent')) return undefined;
  const { llm_message: message } = event;
  return { text: joinedText(contentParts(message)), reasoning: reasoningOf(message) };
}

function reasoningOf(told: Pick<ActionEvent, 'reasoning_content' | 'thinking_blocks'>): string {
  const blocks = told.thinking_blocks ?? [];
  return told.reasoning_content ?? blocks.map((block) => ('thinking' in block ? block.thinking : '')).join('\n');
}

type Base = Pick<TurnItem, 'id' | 'index' | 'timestamp'>;

function messageOf(event: MessageEvent, base: Base): TurnItem {
  const content = contentParts(event.llm_message);
  const answer = answerIn(event);
  if (answer) return { ...base, kind: 'answer', ...answer, content };
  const from = event.source === 'user' ? 'user' : 'environment';
  return { ...base, kind: 'message', from, sender: event.sender ?? '', content, event };
}

function thoughtOf(event: ActionEvent, base: Base): readonly AnswerItem[] {
  const answer = answerIn(event);
  if (!answer || (answer.text === '' && answer.reasoning === '')) return [];
  return [{ ...base, kind: 'answer', ...answer, content: event.thought }];
}

function resultOf(event: ObservationLikeEvent, index: number): CallResult {
  const base = { index, timestamp: event.timestamp };
  if (event.kind === 'ObservationEvent') {
    const { observation } = event;
    const content: readonly ContentPart[] = contentParts(observation);
    return { ...base, outcome: observation.is_error === true ? 'failed' : 'output', content };
  }
  if (event.kind === 'AgentErrorEvent') return { ...base, outcome: 'failed', content: [textContent(event.error)] };
  const outcome = event.rejection_source === 'hook' ? 'blocked' : 'rejected';
  return { ...base, outcome, content: [textContent(event.rejection_reason ?? 'User rejected the action')] };
}
