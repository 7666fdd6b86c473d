import { type ContentPart, type Event, isEvent, isText } from '@conv/core/events';

import { plain } from '../terminal/output.ts';
import { describeAction } from './call-text.ts';

/** An event in one line: what it is, and how it begins. */
export function eventLine(event: Event, width: number): string {
  return plain(`${event.source ?? ''} ${event.kind.replace(/Event$|Observation$/, '')} ${detail(event)}`, width);
}

function detail(event: Event): string {
  if (isEvent(event, 'MessageEvent')) return textOf(event.llm_message.content);
  if (isEvent(event, 'ActionEvent')) return `${event.tool_name}: ${describeAction(event)}`;
  if (isEvent(event, 'ObservationEvent')) {
    const { content } = event.observation as { readonly content?: unknown };
    return `${event.tool_name}: ${textOf(content)}`;
  }
  if (isEvent(event, 'AgentErrorEvent')) return `${event.tool_name}: ${event.error}`;
  if (isEvent(event, 'ConversationErrorEvent')) return event.detail;
  if (isEvent(event, 'UserRejectObservation')) return `${event.tool_name}: ${event.rejection_reason}`;
  if (isEvent(event, 'SystemPromptEvent')) return event.tools.map(({ title }) => title).join(', ');
  return '';
}

/** The text of a content, whichever of the wire's shapes it has. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly ContentPart[]).map((part) => (isText(part) ? part.text : '[image]')).join(' ');
}
