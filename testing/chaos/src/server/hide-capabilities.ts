import type { FastifyInstance } from 'fastify';

/** Hides the server's capabilities beyond OpenHands' protocol and ignores idempotency keys, so that clients must read the log. */
export function hideCapabilities(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => void delete headers['idempotency-key']);
  app.addHook('onSend', async ({ url }, reply, payload) => {
    if (url !== '/server_info' || typeof payload !== 'string') return payload;
    const changed = JSON.stringify({ ...(JSON.parse(payload) as object), capabilities: [] });
    reply.header('content-length', Buffer.byteLength(changed));
    return changed;
  });
}
