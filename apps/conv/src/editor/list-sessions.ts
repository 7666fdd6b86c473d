import type { EditorOptions, SessionEntry, SessionPage } from '@conv/acp';
import { projections } from '@conv/core';
import type { ConversationStore, ConversationSummary } from '@conv/core/store';
import { isObject } from '@conv/core/platform';
import type { RemoteWorkspace } from '@conv/remote';

import { maskedSummaries } from '../conversation/masked-summaries.ts';
import { openedStore } from '../conversation/opened-store.ts';

type List = NonNullable<EditorOptions['list']>;

/** Lists the conversations of a store as sessions, without those of sub-agents. */
export function sessionsIn(address: string): List {
  return async (query) => {
    const opened = await openedStore(address);
    try {
      return await firstPage(query, async (page) => {
        const { items, next } = await opened.store.list({ limit: PAGE, ...(page === undefined ? {} : { page }) });
        const own = await maskedSummaries(opened.store, items.filter(isOwn));
        const sessions = await Promise.all(own.map((summary) => entryOf(opened.store, summary)));
        return { sessions: sessions.flat(), ...(next === undefined ? {} : { next }) };
      });
    } finally {
      await opened.close();
    }
  };
}

/** Lists the conversations of a server as sessions, without those of sub-agents. */
export function sessionsThere(server: RemoteWorkspace): List {
  return (query) =>
    firstPage(query, async (page) => {
      const { pageThere, summaryOf } = await import('../server/conversations-there.ts');
      const { items, next } = await pageThere(server, page);
      const sessions = items.flatMap((info) => {
        const workspace = isObject(info['workspace']) ? info['workspace'] : {};
        const summary = summaryOf(info);
        const cwd = workspace['working_dir'];
        return isOwn(summary) && typeof cwd === 'string' ? [sessionOf(summary, cwd)] : [];
      });
      return { sessions, ...(next === undefined ? {} : { next }) };
    });
}

/** Conversations of a page. */
const PAGE = 50;

/** Returns the first page with sessions of the folder, because editors take a page without any for the end. */
async function firstPage(
  { cwd, cursor }: Parameters<List>[0],
  read: (page: string | undefined) => Promise<SessionPage>,
): Promise<SessionPage> {
  for (let page = cursor; ;) {
    const { sessions, next } = await read(page);
    const found = sessions.filter((session) => cwd === undefined || session.cwd === cwd);
    if (found.length > 0 || next === undefined) return { sessions: found, ...(next === undefined ? {} : { next }) };
    page = next;
  }
}

function isOwn({ parentId }: ConversationSummary): boolean {
  return parentId === null;
}

/** Returns no session for a conversation that cannot be read, or was deleted meanwhile. */
async function entryOf(store: ConversationStore, summary: ConversationSummary): Promise<readonly SessionEntry[]> {
  const reader = await store.read(summary.id).catch(() => undefined);
  if (!reader) return [];
  try {
    const { fields } = await projections.readState(reader);
    return [sessionOf(summary, fields.workspace.workingDir)];
  } catch {
    return [];
  } finally {
    await reader.close();
  }
}

function sessionOf({ id, title, updatedAt }: ConversationSummary, cwd: string): SessionEntry {
  return { id, cwd, title, updatedAt };
}
