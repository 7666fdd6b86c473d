import type { Conversation } from '@conv/core';

import { plain } from '../../terminal/output.ts';

/** Characters of a title that is made of a message. */
const TITLE = 60;

/** Gives a conversation without a title the start of its first message, by which lists show it. */
export async function nameByMessage({ state, settings }: Conversation, message: string): Promise<void> {
  const title = plain(message, TITLE);
  if (state.title === null && title !== '') await settings.setTitle(title);
}
