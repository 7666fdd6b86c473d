import type { LlmMessage } from './llm-message.ts';

/**
 * Marks the points up to which a provider should cache the prompt: the first part of a leading system message, whose other parts
 * differ between conversations, and the last part of the last user or tool message.
 */
export function markCachePoints(messages: readonly LlmMessage[]): LlmMessage[] {
  const points = cachePointsOf(messages);
  return messages.map((message, position) => {
    if (!points.has(position)) return message;
    if (message.role === 'system')
      return withContent(message, (index, mark) => (index === 0 ? true : index === 1 ? false : mark));
    const end = message.content.length - 1;
    return withContent(message, (index, mark) => index === end || mark);
  });
}

/** Returns the positions of the messages that {@link markCachePoints} marks. */
export function cachePointsOf(messages: readonly LlmMessage[]): ReadonlySet<number> {
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  const points = new Set(messages[0]?.role === 'system' ? [0] : []);
  return last === -1 ? points : points.add(last);
}

function withContent(message: LlmMessage, mark: (index: number, mark: boolean) => boolean): LlmMessage {
  const content = message.content.map((part, index) => ({
    ...part,
    cache_prompt: mark(index, part.cache_prompt === true),
  }));
  return { ...message, content };
}
