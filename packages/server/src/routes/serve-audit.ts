import { Readable } from 'node:stream';

import type { JsonObject } from '@conv/core';
import { serverRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { auditPage } from '../conversations/audit-pages.ts';
import { auditTrail, type AuditEntry, type AuditTrailOptions } from '../conversations/audit-trail.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { serveRoute } from '../http/serve-route.ts';

const LINES = 'application/x-ndjson';

/** Serves the audit trail of all conversations, in pages or as lines of JSON. */
export function serveAudit(app: FastifyInstance, host: ConversationHost): void {
  const { store, usage } = host.options;
  serveRoute(app, serverRoutes.readAudit, async ({ query, request, reply }) => {
    const { cursor, limit, conversation, key, from, until } = query;
    const filter = {
      ...(conversation === null ? {} : { conversation }),
      ...(key === null ? {} : { key }),
      ...(from === null ? {} : { from }),
      ...(until === null ? {} : { until }),
    };
    if (request.headers.accept?.includes(LINES) === true) {
      void reply.type(LINES);
      return Readable.from(linesOf(store, { ...filter, ...(usage ? { registry: usage.registry } : {}) }));
    }
    const page = await auditPage({ store, registry: usage?.registry }, { ...filter, cursor, limit });
    return { items: page.items.map(toWire), next_cursor: page.next };
  });
}

async function* linesOf(store: Parameters<typeof auditTrail>[0], options: AuditTrailOptions): AsyncGenerator<string> {
  for await (const entry of auditTrail(store, options)) yield `${JSON.stringify(entry)}\n`;
}

/** An entry in the form of the wire. */
interface WireEntry extends Omit<AuditEntry, 'actions' | 'set'> {
  readonly actions: readonly JsonObject[];
  readonly set?: JsonObject;
}

function toWire({ actions, set, ...entry }: AuditEntry): WireEntry {
  const told = actions.map((action) => ({ ...action, reasons: [...action.reasons] }));
  return { ...entry, actions: told, ...(set ? { set: { ...set } } : {}) };
}
