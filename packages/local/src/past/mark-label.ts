import { contentParts, isEvent, joinedText, type ActionEvent, type Event } from '@conv/core/events';

/** The maximum number of characters of a label. */
const MOST = 80;

/** The number of characters of a text that are read to make a label. */
const LOOKED_AT = 400;

/** Returns a text as one short line. Mask the text first, because half a value is not recognised. */
export function shortLine(text: string): string {
  const line = text.slice(0, LOOKED_AT).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  return line.length <= MOST ? line : `${line.slice(0, MOST - 1).toWellFormed()}…`;
}

/** Returns the words of an event that tell it from others of its kind, as one short line; `''` without words. */
export function labelOf(event: Event): string {
  return shortLine(wordsOf(event));
}

/** Returns the words of a call: the summary that the model wrote, else the command or the path, and the name of the tool. */
function callWords({ tool_name: tool, summary, action }: ActionEvent): string {
  const { description, command, path }: { readonly [member: string]: unknown } = action ?? {};
  const about = summary ?? description ?? command ?? path;
  return typeof about === 'string' && about.trim() !== '' ? `${tool}: ${about}` : tool;
}

function wordsOf(event: Event): string {
  if (isEvent(event, 'MessageEvent')) return joinedText(contentParts(event.llm_message));
  if (isEvent(event, 'ActionEvent')) return callWords(event);
  if (isEvent(event, 'AgentErrorEvent')) return event.error;
  if (isEvent(event, 'ConversationErrorEvent')) return `${event.code}: ${event.detail}`;
  if (isEvent(event, 'UserRejectObservation')) return event.rejection_reason ?? '';
  if (isEvent(event, 'Condensation')) return event.summary ?? '';
  if (isEvent(event, 'ObservationEvent')) return `${event.tool_name}: ${resultWords(event.observation)}`;
  return '';
}

function resultWords(observation: { readonly [member: string]: unknown }): string {
  const { content } = observation;
  return Array.isArray(content) || typeof content === 'string' ? joinedText(contentParts({ content })) : '';
}
