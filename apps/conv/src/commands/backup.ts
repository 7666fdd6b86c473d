import process from 'node:process';

import { errorText } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import { copyStore, copyConversation, type CopiedConversation } from '@conv/store-kit';

import { nothingIn } from '../conversation/nothing-in.ts';
import { openedPair } from '../conversation/opened-store.ts';
import { type StoreArguments, storeOrId } from '../conversation/store-or-id.ts';
import { checkStoreThere } from '../conversation/store-there.ts';
import { fullId } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { failureOf } from '../failure.ts';
import { amount } from '../terminal/amount.ts';
import { note, plain, print, printJsonLine } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';
import { stoppable } from '../terminal/stoppable.ts';

/** Options of `backup`. */
export interface BackupOptions {
  /** The address of the source. */
  readonly store: string;
  readonly to: string;
  /** Prints one line of JSON for each conversation. */
  readonly json?: boolean;
}

/** Maximum length of a line about a conversation. */
const LINE = 400;

/**
 * Copies one conversation or all of a store to another store, each as it is at one moment, also while it is written. Repeating the
 * command writes only what is new, and continues an interrupted backup.
 */
export async function backupCommand(given: StoreArguments, options: BackupOptions): Promise<ExitCode> {
  const { to, json = false } = options;
  const { store: address, id } = storeOrId(given, options.store);
  if (given.isNamed || address !== options.store) checkStoreThere(address);
  await using stores = await openedPair(address, to);
  const { from, to: target } = stores;
  return await stoppable(
    () => 'repeat the command to continue',
    async (signal) => (await backup(from, target, id, { signal, json })) ?? nothingIn(address),
  );
}

/** Resolves `undefined` when there was nothing to copy. */
async function backup(
  from: ConversationStore,
  to: ConversationStore,
  id: string | undefined,
  { signal, json }: { readonly signal: AbortSignal; readonly json: boolean },
): Promise<ExitCode | undefined> {
  const progress = new Progress();
  const options = { owner: `conv backup, pid ${process.pid}`, signal };
  const copies =
    id === undefined
      ? copyStore(from, to, {
          ...options,
          onProgress: ({ id: which, done, of, conversations }) =>
            progress.tell(`${conversations.done} of ${conversations.of} copied, ${which}: ${done} of ${of}`),
        })
      : copyOne(await fullId(from, id), from, to, {
          ...options,
          onProgress: (done, of) => progress.tell(`${done} of ${of} commits`),
        });
  const sum = { conversations: 0, failed: 0, written: 0, found: 0 };
  let failure: ExitCode | undefined;
  for await (const result of copies) {
    progress.clear();
    const failed = await report(result, json);
    failure ??= failed;
    if (result.error) sum.failed++;
    else sum.conversations++;
    sum.written += result.written;
    sum.found += result.found;
  }
  if (sum.conversations + sum.failed === 0) return undefined;
  const copied = `${amount(sum.conversations, 'conversation')}: ${amount(sum.written, 'commit')} written, ${sum.found} existed; all read back equal`;
  const left = `${amount(sum.failed, 'conversation')} not copied`;
  note([...(sum.conversations > 0 ? [copied] : []), ...(sum.failed > 0 ? [left] : [])].join(', '));
  return failure ?? exitCodes.done;
}

async function* copyOne(id: string, ...given: Given): AsyncGenerator<CopiedConversation> {
  yield { id, ...(await copyConversation(id, ...given)), error: undefined };
}

type Given = Parameters<typeof copyConversation> extends [string, ...infer Rest] ? Rest : never;

/** Prints the outcome for a conversation. Resolves with the exit code of a failure. */
async function report(copied: CopiedConversation, json: boolean): Promise<ExitCode | undefined> {
  const { id, written, found, error } = copied;
  if (json) printJsonLine({ id, written, found, error: error ? errorText(error) : null });
  if (!error) {
    if (!json) print(`${id}  ${written} written, ${found} existed`);
    return undefined;
  }
  const { message, exitCode } = await failureOf(error);
  if (!json) print(`${id}  not copied: ${plain(message, LINE)}`);
  return exitCode;
}
