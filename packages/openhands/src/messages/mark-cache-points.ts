import type { LlmMessage } from './llm-message.ts';

/**
 * Marks where a provider shall cache: the first part of a leading system message (what follows it there differs from
 * conversation to conversation) and the last part of the last user or tool message.
 */
export function markCachePoints(messages: readonly LlmMessage[]): LlmMessage[] {
  const marked = [...messages];
  const first = marked[0];
  if (first?.role === 'system') {
    marked[0] = withContent(first, (index, mark) => (index === 0 ? true : index === 1 ? false : mark));
  }
  const last = marked.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  const message = marked[last];
  if (message !== undefined) {
    const end = message.content.length - 1;
    marked[last] = withContent(message, (index, mark) => index === end || mark);
  }
  return marked;
}

function withContent(message: LlmMessage, mark: (index: number, mark: boolean) => boolean): LlmMessage {
  const content = message.content.map((part, index) => ({
    ...part,
    cache_prompt: mark(index, part.cache_prompt === true),
  }));
  return { ...message, content };
}
