import type { Conversation } from '@conv/core';

import type { PlaceOptions } from '../conversation/place.ts';
import { atRest } from '../conversation/at-rest.ts';
import { type Home, openHome } from '../conversation/home.ts';
import { ConversationHere } from '../conversation/local-conversations.ts';
import { readConversation } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { givenServer } from '../server/given-server.ts';
import { openThere } from '../server/read-there.ts';
import { note, print } from '../terminal/output.ts';
import { settingsFacts } from './show.ts';

/** Shows the settings that hold after damage and takes them as confirmed. They stay as they are. */
export async function confirmDamageCommand(id: string, options: PlaceOptions): Promise<ExitCode> {
  const server = await givenServer(options);
  await using home = server ? undefined : await openHome(options.store);
  await using conversation = server ? await openThere(server, id) : await openHere(id, options.store, home);
  const { state, settings } = conversation;
  for (const [name, value] of settingsFacts(state)) print(`${name.padEnd(10)} ${value}`);
  if (!state.damaged) {
    note('there is nothing to confirm');
    return exitCodes.done;
  }
  await settings.confirmDamage();
  note('these settings are confirmed; to change them, resume with other options');
  return exitCodes.done;
}

async function openHere(id: string, address: string, home: Home | undefined): Promise<Conversation> {
  await using stored = await readConversation(address, id);
  return await ConversationHere({ id: stored.id, create: 'never', ...home?.options, ...atRest() });
}
