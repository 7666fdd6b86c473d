import { isJsonObject } from '@conv/core/platform';
import { isStoreError, type ConversationStore } from '@conv/core/store';
import { isRegistryError, type Registry } from '@conv/store-kit/registry';

import { keyUsePage } from '../auth/key-uses.ts';
import { ApiError } from '../http/api-error.ts';
import { auditOf, entryOf, wanted, type AuditEntry, type AuditFilter } from './audit-trail.ts';

/** The logs and records of an audit trail. */
export interface AuditSources {
  readonly store: ConversationStore;
  readonly registry: Registry | undefined;
}

/** A part of an audit trail. */
export interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly next: string | null;
}

/** The place at which a page begins. */
type Place =
  /** In the log `id` of a page of the list of conversations, behind its first `skip` entries. `id`: null for the first log of the page. */
  | { readonly in: 'logs'; readonly page: string | null; readonly id: string | null; readonly skip: number }
  /** At a page of the records of how keys were used. */
  | { readonly in: 'uses'; readonly page: string | null };

/** Conversations that a page of the list has, and that one request reads at most. */
const CONVERSATIONS = 20;

const BEGINNING: Place = { in: 'logs', page: null, id: null, skip: 0 };

/**
 * Resolves with a page of the audit trail. A request reads a limited number of logs, so a page may have few entries or none before the last
 * one. Rejects {@link ApiError} 400 for a cursor of another list.
 */
export async function auditPage(
  sources: AuditSources,
  { cursor, limit, ...filter }: AuditFilter & { readonly cursor: string | null; readonly limit: number },
): Promise<AuditPage> {
  const place = cursor === null ? BEGINNING : placeIn(cursor);
  try {
    if (place.in === 'uses') return await usesFrom(sources, place.page, filter, limit);
    return await logsFrom(sources, place, filter, limit);
  } catch (error) {
    // its pages are those of a store or a registry, which alone can read them
    const isForeign = isStoreError(error, 'NOT_FOUND') || isRegistryError(error, 'INVALID');
    throw isForeign && cursor !== null ? wrongCursor(error) : error;
  }
}

async function logsFrom(
  { store, registry }: AuditSources,
  place: Place & { readonly in: 'logs' },
  filter: AuditFilter,
  limit: number,
): Promise<AuditPage> {
  const { conversation } = filter;
  const { page, id: begun } = place;
  const listed =
    conversation === undefined
      ? await store.list({
          limit: CONVERSATIONS,
          sortBy: 'createdAt',
          order: 'ascending',
          ...(page === null ? {} : { page }),
        })
      : { items: [{ id: conversation }] };
  // a conversation that was deleted meanwhile begins its page again
  const from = Math.max(0, begun === null ? 0 : listed.items.findIndex(({ id }) => id === begun));
  const items: AuditEntry[] = [];
  for (const { id } of listed.items.slice(from)) {
    let told = 0;
    for await (const entry of auditOf(store, id, filter)) {
      if (items.length === limit) return { items, next: cursorOf({ in: 'logs', page, id, skip: told }) };
      told++;
      if (id !== begun || told > place.skip) items.push(entry);
    }
  }
  if ('next' in listed && listed.next !== undefined)
    return { items, next: cursorOf({ in: 'logs', page: listed.next, id: null, skip: 0 }) };
  return { items, next: registry ? cursorOf({ in: 'uses', page: null }) : null };
}

async function usesFrom(
  { registry }: AuditSources,
  page: string | null,
  filter: AuditFilter,
  limit: number,
): Promise<AuditPage> {
  if (!registry) return { items: [], next: null };
  const { items, next } = await keyUsePage(registry, { limit, ...(page === null ? {} : { page }) });
  const entries = items.flatMap((use) => [...wanted(entryOf(use), filter)]);
  return { items: entries, next: next === undefined ? null : cursorOf({ in: 'uses', page: next }) };
}

function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function placeIn(cursor: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isPlace(place)) return place;
  } catch {
    // refused below
  }
  throw wrongCursor();
}

function isPlace(place: unknown): place is Place {
  if (!isJsonObject(place)) return false;
  const { in: where, page, id, skip } = place;
  const isPage = page === null || typeof page === 'string';
  if (where === 'uses') return isPage;
  return where === 'logs' && isPage && (id === null || typeof id === 'string') && Number.isSafeInteger(skip);
}

function wrongCursor(cause?: unknown): ApiError {
  return new ApiError(400, 'cursor: expected next_cursor of the page before, found another text', { cause });
}
