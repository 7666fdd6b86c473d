import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import { truncateMiddle } from '@conv/core';
import {
  contentParts,
  eventGuards,
  type Event,
  isEvent,
  isText,
  joinedText,
  type ContentPart,
  type MessageEvent,
} from '@conv/core/events';

/** The prompt of a turn without a new message: the turn before was cut off, or a person runs the conversation again. */
const GO_ON =
  'Your last turn ended before it was complete. Check what it has already done, and then continue where it stopped.';

/** The text behind what a program said in a turn that did not come to its end. It is for people; the program gets it only in a history. */
export const CUT_OFF = 'The turn of the program ended here before it was complete.';

/** Maximum characters of a history that a new session gets as text. */
const LONGEST_HISTORY = 200_000;

/** The input of a prompt. */
export interface PromptParts {
  /** The live branch, as a model would see it. */
  readonly events: readonly Event[];
  /** The id of the newest event that the session was given; null: the session is new. `undefined`: not known. */
  readonly prompted: string | null | undefined;
  /** True if the program has images in prompts. */
  readonly takesImages: boolean;
  /** The text before the first prompt of a session. */
  readonly instructions: string | undefined;
}

/**
 * Returns the messages that the session has not had, as a prompt. A new session also gets the instructions and, as text, the history
 * before these messages.
 */
export function promptOf({ events, prompted, takesImages, instructions }: PromptParts): ContentBlock[] {
  const messages = newMessages(events, prompted);
  const asked = messages.flatMap((message) => blocksOf(message, takesImages));
  const prompt = asked.length > 0 ? asked : [textBlock(GO_ON)];
  if (prompted !== null) return prompt;
  const before = instructions === undefined ? [] : [textBlock(instructions)];
  const history = historyOf(events.filter((event) => !messages.some(({ id }) => id === event.id)));
  return [...before, ...(history === '' ? [] : [textBlock(history)]), ...prompt];
}

/**
 * Returns the messages of users and of the environment behind the event that the session was given last; where that is not known, behind
 * the last answer.
 */
export function newMessages(events: readonly Event[], prompted: string | null | undefined): readonly MessageEvent[] {
  const isLast = typeof prompted === 'string' ? (event: Event) => event.id === prompted : isAnswer;
  const last = events.findLastIndex(isLast);
  return events
    .slice(last + 1)
    .filter(
      (event): event is MessageEvent => isEvent(event, 'MessageEvent') && event.source !== 'agent' && !isCutOff(event),
    );
}

/** Returns a conversation as text; `''` when nothing was said. */
function historyOf(events: readonly Event[]): string {
  const said = events.flatMap((event) => {
    if (eventGuards.isFinishCall(event)) return [`You: ${event.action.message}`];
    if (!isEvent(event, 'MessageEvent')) return [];
    const who = event.source === 'agent' ? 'You' : event.source === 'user' ? 'User' : 'Note';
    return [`${who}: ${joinedText(partsOf(event))}`];
  });
  if (said.length === 0) return '';
  const text = truncateMiddle(said.join('\n\n'), LONGEST_HISTORY);
  return `This conversation began before this session. What was said until now:\n\n${text}\n\nEnd of what was said.`;
}

function isAnswer(event: Event): boolean {
  return (isEvent(event, 'MessageEvent') && event.source === 'agent') || eventGuards.isFinishCall(event);
}

function isCutOff(event: MessageEvent): boolean {
  return event.source === 'environment' && joinedText(contentParts(event.llm_message)) === CUT_OFF;
}

function partsOf({ llm_message, extended_content = [] }: MessageEvent): readonly ContentPart[] {
  return [...contentParts(llm_message), ...extended_content];
}

function blocksOf(message: MessageEvent, takesImages: boolean): readonly ContentBlock[] {
  return partsOf(message).flatMap((part) => {
    if (isText(part)) return part.text.trim() === '' ? [] : [textBlock(part.text)];
    return part.image_urls.map((url) => imageBlock(url, takesImages));
  });
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** Returns an image, or a link to it. An image that the program cannot take is named, so that it does not count as seen. */
function imageBlock(url: string, takesImages: boolean): ContentBlock {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mimeType === undefined || data === undefined) return { type: 'resource_link', name: 'image', uri: url };
  return takesImages
    ? { type: 'image', mimeType, data }
    : textBlock(`[An image of type ${mimeType} is left out, because this program takes no images.]`);
}
