import { viewOf } from '@conv/core';
import { eventsToMessages, toChatMessages, toResponsesInput } from '@conv/openhands/messages';

import type { PlaceOptions } from '../conversation/place.ts';
import type { ExitCode } from '../exit-code.ts';
import { readFrom } from '../server/read-there.ts';
import { printJson } from '../terminal/output.ts';
import { reportDamage } from './show.ts';

/** Options of `messages`. */
export interface MessagesOptions extends PlaceOptions {
  readonly format: 'chat' | 'responses';
}

/** Prints the next request to the model, in a provider's format. The request follows from the events, of a store or a server. */
export async function messagesCommand(id: string, options: MessagesOptions): Promise<ExitCode> {
  await using read = await readFrom(options, id);
  const messages = eventsToMessages(viewOf(await read.events.branch()).events);
  printJson(options.format === 'chat' ? toChatMessages(messages) : toResponsesInput(messages));
  return reportDamage(read);
}
