import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { integer, jsonObject, kept, keptAs, orNull, request, utcDateTime, uuid } from '../../schema/index.ts';

const auditEntrySchema = keptAs('AuditEntry', {
  /** Null for a request about no conversation. */
  conversation: orNull(z.string()),
  /** Number of the commit; null for a request that no log has. */
  commit: orNull(integer({ minimum: 0 })),
  decision: z.string(),
  /** Name of the key. */
  by: orNull(z.string()),
  /** The operation of a request. */
  route: z.exactOptional(z.string()),
  actions: z.array(jsonObject),
  set: z.exactOptional(jsonObject),
  at: orNull(z.string()),
  after: orNull(z.string()),
  before: orNull(z.string()),
});

/**
 * Reads decisions on risk and uses of keys: by the creation of their conversations, then requests that no log has. A page may have fewer entries than
 * asked for, and none, before the last one. With `Accept: application/x-ndjson` it answers with all entries, one in each line.
 */
export const readAudit = defineRoute(
  'Server',
  'GET /api/audit',
  'read_audit',
  'Read decisions on risk, and uses of keys',
  {
    scope: 'admin',
    allConversations: true,
    query: request({
      /** Only this conversation. */
      conversation: orNull(uuid),
      /** Only entries of the key with this name. */
      key: orNull(z.string()),
      /** Only entries of this time or later. */
      from: orNull(utcDateTime),
      /** Only entries before this time. */
      until: orNull(utcDateTime),
      /** `next_cursor` of the page before. */
      cursor: orNull(z.string()),
      limit: integer({ minimum: 1, maximum: 1000 }).default(100),
    }),
    answer: kept({ items: z.array(auditEntrySchema), next_cursor: orNull(z.string()) }),
    errors: { 400: 'The cursor is none of this list.' },
    extension: true,
  },
);
