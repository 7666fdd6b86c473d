import type { FastifyInstance } from 'fastify';

import type { Breakage } from '../broken/breakage.ts';

const EVENTS = /^\/api\/conversations\/[^/]+\/events$/;
const ITEM = /^\/api\/conversations\/[^/?]+$/;

/** The server loses one message out of this many. */
const FORGOTTEN = 4;

/** Adds the deliberate defects to a server. */
export function breakServer(app: FastifyInstance, breakage: Breakage): void {
  if (breakage === 'unkeyed') app.addHook('onRequest', async ({ headers }) => void delete headers['idempotency-key']);
  if (breakage === 'forgetful') forget(app);
  if (breakage === 'endless') goOn(app);
}

function forget(app: FastifyInstance): void {
  let messages = 0;
  app.addHook('preHandler', async ({ method, url }, reply) => {
    if (method === 'POST' && EVENTS.test(url) && ++messages % FORGOTTEN === 0) await reply.send({ success: true });
  });
}

function goOn(app: FastifyInstance): void {
  const ran = new Set<string>();
  app.addHook('onSend', async ({ method, url }, reply, payload) => {
    if (method === 'POST' && url.endsWith('/run')) ran.add(url.slice(0, -'/run'.length));
    if (method !== 'GET' || !ITEM.test(url) || !ran.has(url) || typeof payload !== 'string') return payload;
    const changed = JSON.stringify({ ...(JSON.parse(payload) as object), execution_status: 'running' });
    reply.header('content-length', Buffer.byteLength(changed));
    return changed;
  });
}
