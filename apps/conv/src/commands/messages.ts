import { eventsToMessages } from '@conv/openhands/messages';
import { toChatMessages, toResponsesInput } from '@conv/openhands/messages';

import { readConversation } from '../conversation/stored-conversation.ts';
import type { ExitCode } from '../exit-code.ts';
import { printJson } from '../terminal/output.ts';
import { reportDamage } from './show.ts';

/** Options of `messages`. */
export interface MessagesOptions {
  /** The address of the store. */
  readonly store: string;
  readonly format: 'chat' | 'responses';
}

/** Prints what the model would be sent next, in a provider's format. */
export async function messagesCommand(id: string, options: MessagesOptions): Promise<ExitCode> {
  await using stored = await readConversation(options.store, id);
  const messages = eventsToMessages(await stored.state.modelView());
  const wanted = options.format === 'chat' ? toChatMessages(messages) : toResponsesInput(messages);
  printJson(wanted);
  return reportDamage(stored);
}
