import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { CommandError } from '../command-error.ts';
import type { PlaceOptions } from '../conversation/place.ts';
import { warnOf } from '../conversation/finding-text.ts';
import { openedStore } from '../conversation/opened-store.ts';
import { fullId } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { idThere } from '../server/conversations-there.ts';
import { deleteThere } from '../server/delete-there.ts';
import { givenServer } from '../server/given-server.ts';
import { amount } from '../terminal/amount.ts';
import { note, print, printJsonLine } from '../terminal/output.ts';

/** Options of `delete`. */
export interface DeleteOptions extends PlaceOptions {
  /** No question. */
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Conversations that can be found and deleted. */
interface Shelf extends AsyncDisposable {
  readonly find: (id: string) => Promise<string>;
  readonly remove: (id: string) => Promise<void>;
}

/** Deletes conversations for good, all or none of which must be there. Asks first, unless `--yes` is given. */
export async function deleteCommand(ids: readonly string[], options: DeleteOptions): Promise<ExitCode> {
  await using shelf = await shelfOf(options);
  const found: string[] = [];
  for (const id of ids) found.push(await shelf.find(id));
  const whole = [...new Set(found)];
  if (!options.yes && !(await confirmed(whole))) {
    note('nothing is deleted');
    return exitCodes.done;
  }
  for (const id of whole) {
    await shelf.remove(id);
    if (options.json) printJsonLine({ id, deleted: true });
    else print(id);
  }
  note(`${amount(whole.length, 'conversation')} deleted`);
  return exitCodes.done;
}

async function shelfOf(options: DeleteOptions): Promise<Shelf> {
  const server = await givenServer(options);
  if (server)
    return {
      find: (id) => idThere(server, id),
      remove: (id) => deleteThere(server, id),
      [Symbol.asyncDispose]: () => server.close(),
    };
  const opened = await openedStore(options.store, warnOf);
  const { store } = opened;
  return {
    find: async (id) => {
      const whole = await fullId(store, id);
      const reader = await store.read(whole);
      await reader?.close();
      if (reader) return whole;
      throw new CommandError(
        exitCodes.notFound,
        `there is no conversation ${whole}; check the id, or list the conversations`,
      );
    },
    remove: (id) => store.delete(id),
    [Symbol.asyncDispose]: () => opened.close(),
  };
}

async function confirmed(ids: readonly string[]): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new CommandError(exitCodes.usage, 'delete asks first, and there is no terminal to ask in; add --yes');
  for (const id of ids) note(`  ${id}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`Delete ${amount(ids.length, 'conversation')} for good? [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
