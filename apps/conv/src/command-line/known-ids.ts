import { setTimeout as delay } from 'node:timers/promises';

import type { ConversationSummary } from '@conv/core/store';

import { isStartOfId } from '../conversation/short-id.ts';
import { plain } from '../terminal/output.ts';

/** Ids that are offered, the last changed first, and the longest description. */
const OFFERED = 100;
const ABOUT = 60;
/** Maximum milliseconds for a completion; a slower server has none. */
const PATIENCE = 3_000;
/** Milliseconds within which a server must answer; after more, a warning would be printed. */
const SILENCE = 1_400;

/** An id with its title. */
export interface KnownId {
  readonly id: string;
  readonly about: string;
}

/** Returns the conversations of the place that the words of a command line name. None when it cannot be read in time. */
export async function knownIds(words: readonly string[], defaultStore: string): Promise<readonly KnownId[]> {
  const all = await read(words, defaultStore).catch(() => []);
  // scripts of shells may evaluate what they are given, and a server can call anything an id
  const named = all.filter(({ id }) => isStartOfId(id));
  return named.slice(0, OFFERED).map(({ id, title }) => ({ id, about: plain(title ?? '', ABOUT) }));
}

async function read(words: readonly string[], defaultStore: string): Promise<readonly ConversationSummary[]> {
  const server = valueOf('--server', words);
  const serverKey = valueOf('--server-key', words);
  if (server !== undefined) {
    const { givenServer } = await import('../server/given-server.ts');
    const { conversationsThere } = await import('../server/conversations-there.ts');
    const given = givenServer({ server, ...(serverKey !== undefined && { serverKey }) });
    const workspace = await within(SILENCE, given);
    return workspace === undefined ? [] : ((await within(PATIENCE, conversationsThere(workspace))) ?? []);
  }
  const directory = valueOf('--dir', words);
  const address = valueOf('--store', words) ?? (directory === undefined ? defaultStore : `fs:${directory}`);
  const [{ checkStoreThere }, { openedStore }, { maskedSummaries }] = await Promise.all([
    import('../conversation/store-there.ts'),
    import('../conversation/opened-store.ts'),
    import('../conversation/masked-summaries.ts'),
  ]);
  checkStoreThere(address);
  const opened = await openedStore(address);
  const { store } = opened;
  try {
    const page = await within(PATIENCE, store.list({ limit: OFFERED }));
    return await maskedSummaries(store, page?.items ?? []);
  } finally {
    await opened.close();
  }
}

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result | undefined> {
  return await Promise.race([work, delay(milliseconds, undefined, { ref: false })]);
}

function valueOf(option: string, words: readonly string[]): string | undefined {
  const joined = words.find((word) => word.startsWith(`${option}=`));
  if (joined !== undefined) return joined.slice(option.length + 1);
  const at = words.indexOf(option);
  return at < 0 ? undefined : words[at + 1];
}
