import type { Conversation } from '@conv/core';

import { atRest } from '../conversation/at-rest.ts';
import { ConversationHere } from '../conversation/local-conversations.ts';
import { readConversation } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { givenServer } from '../server/given-server.ts';
import { openThere, type ReadOptions } from '../server/read-there.ts';
import { note, print } from '../terminal/output.ts';
import { settingsFacts } from './show.ts';

/** Shows the settings that hold after damage and takes them as confirmed. They stay as they are. */
export async function confirmDamageCommand(id: string, options: ReadOptions): Promise<ExitCode> {
  const server = await givenServer(options);
  await using conversation = server ? await openThere(server, id) : await openHere(id, options.dir);
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

async function openHere(id: string, dir: string): Promise<Conversation> {
  await using stored = await readConversation(dir, id);
  return await ConversationHere({ id: stored.id, create: 'never', persistenceDir: dir, ...atRest() });
}
