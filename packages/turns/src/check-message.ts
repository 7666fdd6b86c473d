import { checks, ConversationError, type MessagePart } from '@conv/core';
import { eventBytes, MAX_EVENT_BYTES, stampEvent, userMessage } from '@conv/core/events';

/**
 * Checks the content of a message before a conversation is made for it, so that a refused message leaves none behind. Throws as
 * `sendMessage` rejects: `INVALID_INPUT`, and `EVENT_TOO_LARGE` above 1 MiB.
 */
export function checkMessage(content: readonly MessagePart[]): void {
  const id = '00000000-0000-4000-8000-000000000000';
  const values = { id, timestamp: '2026-01-01T00:00:00.000000', parentId: id };
  const size = eventBytes(stampEvent(userMessage(checks.messageParts([...content])), values));
  if (size <= MAX_EVENT_BYTES) return;
  const found = `expected a message of at most ${MAX_EVENT_BYTES} bytes, found ${size}`;
  throw new ConversationError('EVENT_TOO_LARGE', `${found}; shorten it, nothing was sent`);
}
