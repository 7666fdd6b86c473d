import { isText, textContent } from '@conv/core/events';
import type { LlmMessage } from '@conv/openhands/messages';

export function plainMessage(role: 'system' | 'user', text: string): LlmMessage {
  return { role, content: [textContent(text)], thinking_blocks: [] };
}

/** Returns the texts of a message, each on a line of its own. Images are left out. */
export function saidIn({ content }: LlmMessage): string {
  const texts = content.filter(isText).map(({ text }) => text);
  return texts.join('\n');
}
