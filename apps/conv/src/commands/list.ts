import process from 'node:process';

import type { ConversationSummary } from '@conv/core/store';

import { allConversations } from '../conversation/all-conversations.ts';
import type { PlaceOptions } from '../conversation/place.ts';
import { maskedSummaries } from '../conversation/masked-summaries.ts';
import { placeText } from '../conversation/home.ts';
import { warnOf } from '../conversation/finding-text.ts';
import { openedStore } from '../conversation/opened-store.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { conversationsThere, type ListedConversation } from '../server/conversations-there.ts';
import { givenServer } from '../server/given-server.ts';
import { note, plain, printJson, printLines } from '../terminal/output.ts';
import { paletteFor } from '../terminal/palette.ts';
import { statusText } from '../terminal/status-text.ts';

/** Options of `list`. */
export interface ListOptions extends PlaceOptions {
  readonly json?: boolean;
}

/** Lists the conversations, the last changed first. */
export async function listCommand(options: ListOptions): Promise<ExitCode> {
  const server = await givenServer(options);
  const all = await (server ? conversationsThere(server) : conversationsIn(options.store));
  if (options.json) printJson(all);
  else if (all.length === 0)
    note(`no conversations ${server ? `on ${server.host}` : `in ${placeText(options.store)}`}`);
  else printTable(all);
  return exitCodes.done;
}

async function conversationsIn(address: string): Promise<readonly ConversationSummary[]> {
  const opened = await openedStore(address, warnOf);
  const { store } = opened;
  try {
    return await maskedSummaries(store, await allConversations(store));
  } finally {
    await opened.close();
  }
}

function printTable(all: readonly ListedConversation[]): void {
  const color = paletteFor(process.stdout);
  const statusWidth = all.reduce((most, one) => Math.max(most, statusOf(one).length), 0);
  const room = Math.max(16, (process.stdout.columns ?? 100) - 36 - 2 - statusWidth - 2 - 16 - 2);
  const line = (one: ListedConversation): string => {
    const { id, updatedAt, title, forkedFrom, parentId, unreadable } = one;
    const said = unreadable === undefined ? (title ?? '') : `cannot be read: ${unreadable}`;
    const name = plain(`${parentId ? '↳ ' : ''}${forkedFrom ? '⑂ ' : ''}${said}`, room);
    const when = updatedAt.slice(0, 16).replace('T', ' ');
    return `${id}  ${color.cyan(statusOf(one).padEnd(statusWidth))}  ${color.dim(when)}  ${name}`;
  };
  printLines(all.map(line));
}

function statusOf({ status, waitsForAnswer }: ListedConversation): string {
  return statusText(waitsForAnswer ? 'waiting_for_confirmation' : status);
}
