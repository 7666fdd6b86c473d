import { ConversationError, type MessagePart } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { checkMessage, imageAt, messageEventId, type EarlierMessage } from '@conv/turns';

import type { UiChunk as UiPart } from './ui-chunk.ts';

/** A message of a page, as its request has it. */
export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly UiPart[];
}

/** True for a message of the user or of the assistant. */
export function isMessage(given: unknown): given is Message {
  if (!isObject(given) || typeof given['id'] !== 'string' || !Array.isArray(given['parts'])) return false;
  return (given['role'] === 'user' || given['role'] === 'assistant') && given['parts'].every(isPart);
}

function isPart(given: unknown): given is UiPart {
  return isObject(given) && typeof given['type'] === 'string';
}

/**
 * Resolves with messages of the user as they are stored. Rejects `INVALID_INPUT` for one without content that a conversation has, and
 * `EVENT_TOO_LARGE` above 1 MiB.
 */
export async function sentMessages(chatId: string, messages: readonly Message[]): Promise<EarlierMessage[]> {
  const sent = await Promise.all(messages.map((each) => sentMessage(chatId, each)));
  for (const { content } of sent) checkMessage(content);
  return sent;
}

async function sentMessage(chatId: string, { id, parts }: Message): Promise<EarlierMessage> {
  const content = parts.flatMap((part): MessagePart[] => {
    const { type, text, url, mediaType = 'image/*' } = part;
    if (type === 'text' && typeof text === 'string') return text.trim() === '' ? [] : [{ type, text }];
    const image = type === 'file' && /^image\//i.test(String(mediaType)) ? imageAt(url) : undefined;
    if (image) return [image];
    // data of the application, which models do not read
    if (type.startsWith('data-')) return [];
    throw refused(id, `a text, or an image with an http(s): or data:image/ URL, found ${JSON.stringify(part)}`);
  });
  if (content.length === 0) throw refused(id, 'a text or an image, found none');
  return { id: await messageEventId(chatId, id), content };
}

function refused(id: string, problem: string): ConversationError {
  const message = `message ${id}: expected ${problem.slice(0, 200)}; take the message out of the chat and send another`;
  return new ConversationError('INVALID_INPUT', message);
}
