import process from 'node:process';

import { copyConversation } from '@conv/store-kit';

import { type OpenedPair, openedPair } from '../conversation/opened-store.ts';
import { fullId } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { amount } from '../terminal/amount.ts';
import { note, print, printJsonLine } from '../terminal/output.ts';
import { stoppable } from '../terminal/stoppable.ts';

/** Options of `copy`. */
export interface CopyCommandOptions {
  /** The address of the source. */
  readonly store: string;
  /** The earlier name of `store`. */
  readonly from?: string;
  readonly to: string;
  readonly json?: boolean;
}

const PROGRESS_STEP = 1000;

/**
 * Copies a conversation from store to store, and checks that the copy comes to the same state. Repeating the command continues an
 * interrupted copy.
 */
export async function copyCommand(
  id: string,
  { store, from = store, to, json = false }: CopyCommandOptions,
): Promise<ExitCode> {
  await using stores = await openedPair(from, to);
  return await copy(await fullId(stores.from, id), stores, json);
}

function copy(id: string, { from, to }: OpenedPair, json: boolean): Promise<ExitCode> {
  return stoppable(
    () => 'repeat the command to continue',
    async (signal) => {
      const { written, found, events } = await copyConversation(id, from, to, {
        owner: `conv copy, pid ${process.pid}`,
        signal,
        onProgress: (done, of) => {
          if (done % PROGRESS_STEP === 0) note(`${done} of ${of} commits`);
        },
      });
      const before = found === 0 ? '' : `, ${found} existed`;
      note(
        `${amount(written, 'commit')} written${before}; all read back equal, ${amount(events, 'event')}, same state`,
      );
      if (json) printJsonLine({ id, written, found, error: null });
      else print(id);
      return exitCodes.done;
    },
  );
}
