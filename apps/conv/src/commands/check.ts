import { type CheckedConversation, type ConversationStore, isStoreError } from '@conv/core/store';
import { checkConversation, checkStore, type StoreCheckOptions } from '@conv/store-kit';

import { nothingIn } from '../conversation/nothing-in.ts';
import { openedStore } from '../conversation/opened-store.ts';
import { type StoreArguments, storeOrId } from '../conversation/store-or-id.ts';
import { checkStoreThere } from '../conversation/store-there.ts';
import { fullId } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { failureOf } from '../failure.ts';
import { amount } from '../terminal/amount.ts';
import { note, plain, print as printLine, printJsonLine } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';
import { stoppable } from '../terminal/stoppable.ts';

/** Options of `check`. */
export interface CheckCommandOptions {
  /** The address of the store. */
  readonly store: string;
  readonly repair?: boolean;
  readonly after?: string;
  /** Prints one line of JSON for each conversation. */
  readonly json?: boolean;
}

/** Findings so far. */
interface Tally {
  conversations: number;
  commits: number;
  wrong: number;
  repaired: number;
  known: number;
  /** Conversations that were not repaired because another process owns them, and their findings. */
  owned: number;
  kept: number;
  last: string | undefined;
  failure: ExitCode | undefined;
}

const NOTHING: Readonly<Tally> = {
  conversations: 0,
  commits: 0,
  wrong: 0,
  repaired: 0,
  known: 0,
  owned: 0,
  kept: 0,
  last: undefined,
  failure: undefined,
};

/** Longest line about one finding. */
const LINE = 400;

/** Reads every record of a store, or of one conversation in it, and prints a line for each problem. */
export async function checkCommand(given: StoreArguments, options: CheckCommandOptions): Promise<ExitCode> {
  const { repair = false, after, json = false } = options;
  const { store: address, id } = storeOrId(given, options.store);
  if (given.isNamed || address !== options.store) checkStoreThere(address);
  const opened = await openedStore(address);
  const { store } = opened;
  const tally = { ...NOTHING };
  const goOn = (): string =>
    tally.last === undefined ? 'repeat the command to start again' : `continue with --after ${tally.last}`;
  try {
    return await stoppable(goOn, async (signal) => {
      const progress = new Progress();
      const wanted: StoreCheckOptions = {
        repair,
        signal,
        ...(after === undefined ? {} : { after }),
        onProgress: ({ id: which, done, of, conversations }) =>
          progress.tell(
            `${conversations.done} of ${conversations.of} checked, ${which ?? 'shared records'}: ${done} of ${of}`,
          ),
      };
      for await (const checked of id === undefined ? checkStore(store, wanted) : checkOne(store, id, wanted)) {
        progress.clear();
        await report(checked, tally, json);
      }
      const isEmpty = tally.conversations + tally.wrong === 0 && (await store.list({ limit: 1 })).items.length === 0;
      return isEmpty && tally.failure === undefined ? nothingIn(address) : conclude(tally);
    });
  } finally {
    await opened.close();
  }
}

async function* checkOne(
  store: ConversationStore,
  start: string,
  { repair = false, signal }: StoreCheckOptions,
): AsyncGenerator<CheckedConversation> {
  const id = await fullId(store, start);
  const checked = await checkConversation(store, id, { repair, ...(signal && { signal }) });
  if (isStoreError(checked.error, 'NOT_FOUND')) throw checked.error;
  yield checked;
}

async function report(checked: CheckedConversation, tally: Tally, json: boolean): Promise<void> {
  const { id, commits, findings, error } = checked;
  const subject = id ?? 'shared';
  // in JSON, one line per conversation replaces the lines for people
  const print = json ? (): void => {} : printLine;
  if (json) printJsonLine({ id, commits, findings, error: error ? error.message : null });
  for (const { part, severity, message, repaired } of findings) {
    print(`${subject}  ${severity}  ${part}: ${plain(message, LINE)}${repaired ? ' (repaired)' : ''}`);
    if (severity === 'known') tally.known++;
    else tally.wrong++;
    if (repaired) tally.repaired++;
  }
  if (isStoreError(error, 'OWNED')) {
    const advice = 'or wait until that process ends, and repeat the command';
    print(`${subject}  not repaired  ${plain(error.text, LINE)}, ${advice}`);
    tally.owned++;
    tally.kept += findings.filter(({ severity }) => severity !== 'known').length;
  } else if (error) {
    const { message, exitCode } = await failureOf(error);
    print(`${subject}  unchecked  ${plain(message, LINE)}`);
    tally.failure ??= exitCode;
  }
  if (id === undefined) return;
  tally.conversations++;
  tally.commits += commits;
  tally.last = id;
}

function conclude({ conversations, commits, wrong, repaired, known, owned, kept, failure }: Tally): ExitCode {
  const losses = known === 0 ? '' : `${amount(known, 'span')} on record as lost, `;
  const rest = known === 0 ? 'nothing is wrong' : 'nothing else is wrong';
  const found = losses + (wrong === 0 ? rest : `${amount(wrong, 'finding')}, ${repaired} repaired`);
  const left = owned === 0 ? '' : `, ${amount(owned, 'conversation')} not repaired because another process owns it`;
  const unread = failure === undefined ? '' : ', some could not be read';
  note(`${amount(conversations, 'conversation')}, ${amount(commits, 'commit')} read: ${found}${left}${unread}`);
  if (wrong > repaired + kept) return exitCodes.failed;
  return failure ?? (owned > 0 ? exitCodes.owned : exitCodes.done);
}
