import type { JsonObject } from '@conv/core/events';
import type { ConversationSummary } from '@conv/core/store';
import type { RemoteWorkspace } from '@conv/remote';

import { idOf } from '../conversation/short-id.ts';

/** Conversations of a page. */
const PAGE = 100;

/** A conversation as the list of a server tells of it. */
export interface ListedConversation extends ConversationSummary {
  /** True if it runs and waits for the answer of a client tool. A store alone does not tell it. */
  readonly waitsForAnswer?: boolean;
}

/** Every conversation of a server, the last changed first. Rejects `ConversationError` as its requests do. */
export async function conversationsThere(server: RemoteWorkspace): Promise<readonly ListedConversation[]> {
  const all: ListedConversation[] = [];
  let page: string | undefined;
  do {
    const { items, next } = await pageThere(server, page);
    all.push(...items.map(summaryOf));
    page = next;
  } while (page !== undefined);
  return all;
}

/** A page of the conversations of a server, as it describes them, the last changed first. `page` is the `next` of the page before. */
export async function pageThere(
  server: RemoteWorkspace,
  page: string | undefined,
): Promise<{ readonly items: readonly JsonObject[]; readonly next: string | undefined }> {
  // imported here, because the list of a folder does without the routes
  const { conversationRoutes } = await import('@conv/openhands/rest');
  const client = server.connect();
  try {
    const query = { limit: PAGE, ...(page === undefined ? {} : { page_id: page }) };
    const { method, path } = conversationRoutes.search;
    const { items, next_page_id: next } = (await client.json({ method, path, query })) as Page;
    return { items, next: typeof next === 'string' ? next : undefined };
  } finally {
    await client.close();
  }
}

/** The whole id of the one conversation of a server whose id begins so. Rejects as the same does for a folder. */
export function idThere(server: RemoteWorkspace, id: string): Promise<string> {
  return idOf(id, () => conversationsThere(server));
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly next_page_id?: unknown;
}

/** Returns the list entry of a conversation that a server describes. */
export function summaryOf(info: JsonObject): ListedConversation {
  const text = (name: string): string | null => (typeof info[name] === 'string' ? info[name] : null);
  const source = text('forked_from_conversation_id');
  const calls = info['unanswered_calls'];
  return {
    id: text('id') ?? '',
    title: text('title'),
    status: text('execution_status') ?? '',
    createdAt: text('created_at') ?? '',
    updatedAt: text('updated_at') ?? '',
    tags: (info['tags'] ?? {}) as ConversationSummary['tags'],
    parentId: text('parent_conversation_id'),
    ...(Array.isArray(calls) && calls.length > 0 ? { waitsForAnswer: true } : {}),
    forkedFrom: source === null ? null : { conversationId: source, eventId: text('forked_from_event_id') },
  };
}
