import {
  type ContentPart,
  contentParts,
  type Event,
  type EventOfKind,
  isEvent,
  isText,
  type MessageEvent,
  textContent,
} from '@conv/core/events';
import { truncateMiddle } from '@conv/core';
import { observationContent } from '@conv/openhands/messages';
import { eventText } from '../condensers/event-text.ts';

/** The most characters of a call or a result in a record. */
const MAX_RECORD = 50_000;
const NO_IMAGE = '[An image stood here. The provider refused it, so it is left out.]';
const NO_RESULT =
  '[The result of this call is left out: the provider refused to read it. The call was made; look at what it did in another way.]';

/** Returns the event with a note in place of its images. */
export function withoutImages(event: Event): Event {
  if (isEvent(event, 'MessageEvent')) {
    const { llm_message: message } = event;
    return { ...event, llm_message: { ...message, content: noted(contentParts(message)) } };
  }
  if (!isEvent(event, 'ObservationEvent')) return event;
  return withContent(event, noted(observationContent(event.observation)));
}

function noted(content: readonly ContentPart[]): readonly ContentPart[] {
  return content.map((part) => (isText(part) ? part : textContent(NO_IMAGE)));
}

/** Returns the result of a call with a note in place of its content. */
export function withoutResult(event: Event): Event {
  if (isEvent(event, 'AgentErrorEvent')) return { ...event, error: NO_RESULT };
  if (isEvent(event, 'UserRejectObservation')) return { ...event, rejection_reason: NO_RESULT };
  return isEvent(event, 'ObservationEvent') ? withContent(event, [textContent(NO_RESULT)]) : event;
}

/** Returns the event as a kind whose content is sent as it is: text that other kinds add is in `content` already. */
function withContent(event: EventOfKind<'ObservationEvent'>, content: readonly ContentPart[]): Event {
  const { tool_name: name } = event;
  return { ...event, observation: { content, is_error: false, tool_name: name, kind: 'MCPToolObservation' } };
}

/** Returns a call or its result as a record of the environment, in which a provider finds no call without a result. */
export function asRecord({ id, timestamp, ...event }: Event): Event {
  // The view is masked already, and a result is never sent longer than this.
  const told = truncateMiddle(eventText({ id, timestamp, ...event } as Event), MAX_RECORD);
  const text = `[Record of the agent's work] ${told}`;
  return {
    id,
    timestamp,
    source: 'environment',
    llm_message: { role: 'user', content: [textContent(text)] },
    kind: 'MessageEvent',
  } as MessageEvent;
}

export function withoutReasoning(event: EventOfKind<'MessageEvent'>): Event {
  const { reasoning_content: _, thinking_blocks: __, responses_reasoning_item: ___, ...message } = event.llm_message;
  return { ...event, llm_message: message };
}
