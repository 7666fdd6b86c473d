import { ConversationError, SECRET_MASK, type ConversationState } from '@conv/core';
import { contentParts, isEvent, isText, type ContentPart, type EventDraftOfKind } from '@conv/core/events';

type Message = Pick<EventDraftOfKind<'MessageEvent'>, 'llm_message' | 'sender'>;

/**
 * Checks that the stored message with this id has the same content and sender, because an id names a single message. Masked parts
 * of the stored message match any text. Rejects `INVALID_INPUT`, which names the id.
 */
export async function assertSameMessage(state: ConversationState, message: Message, id: string): Promise<void> {
  const stored = await find(state, id);
  if (stored === 'nothing' || (stored !== 'other' && isSame(stored, message))) return;
  throw new ConversationError(
    'INVALID_INPUT',
    `the id ${id} belongs to an earlier message with other content; give each message its own id`,
    {
      conversationId: state.id,
    },
  );
}

async function find(state: ConversationState, id: string): Promise<Message | 'other' | 'nothing'> {
  const queued = state.fields.queue.find((message) => message.id === id);
  if (queued) return queued.draft as unknown as Message;
  const event = await state.events.get(id);
  // damage may have taken it
  if (!event) return 'nothing';
  return isEvent(event, 'MessageEvent') && event.source === 'user' ? event : 'other';
}

function isSame(stored: Message, given: Message): boolean {
  const [before, now] = [textsOf(stored), textsOf(given)];
  return before.length === now.length && before.every((text, at) => fits(text, now[at] as string));
}

/** Returns the parts of a message as texts, each with its kind. */
function textsOf({ llm_message: message, sender }: Message): readonly string[] {
  const texts = [`sender ${sender ?? ''}`, ...contentParts(message).flatMap(textsOfPart)];
  // as the log writes it
  return texts.map((text) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'));
}

function textsOfPart(part: ContentPart): readonly string[] {
  return isText(part) ? [`text ${part.text}`] : ['image', ...part.image_urls.map((url) => `url ${url}`)];
}

/** True if the text equals the stored text, where any text may stand in place of a masked value. */
function fits(stored: string, given: string): boolean {
  const [first = '', ...behind] = stored.split(SECRET_MASK);
  const last = behind.pop();
  if (last === undefined) return stored === given;
  if (!given.startsWith(first) || !given.endsWith(last)) return false;
  let at = first.length;
  for (const piece of behind) {
    const found = given.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at + last.length <= given.length;
}
