import process from 'node:process';

import type { ConversationStore } from '@conv/core/store';
import { copyConversation } from '@conv/store-kit';

import { openedPair } from '../conversation/opened-store.ts';
import { fullId } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { amount } from '../terminal/amount.ts';
import { note, print } from '../terminal/output.ts';
import { stoppable } from '../terminal/stoppable.ts';

/** Options of `copy`. */
export interface CopyCommandOptions {
  readonly dir: string;
  readonly from?: string;
  readonly to: string;
}

const PROGRESS_STEP = 1000;

/** Copies a conversation from store to store, and checks that the copy comes to the same state. Called again it goes on. */
export async function copyCommand(id: string, { dir, from, to }: CopyCommandOptions): Promise<ExitCode> {
  await using stores = await openedPair(from ?? `fs:${dir}`, to);
  return await copy(await fullId(stores.from, id), stores.from, stores.to);
}

function copy(id: string, from: ConversationStore, to: ConversationStore): Promise<ExitCode> {
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
      print(id);
      return exitCodes.done;
    },
  );
}
