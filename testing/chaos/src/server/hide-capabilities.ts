import type { FastifyInstance } from 'fastify';

/** The server says that it can nothing beyond OpenHands' protocol, and takes no keys: clients have to settle by reading. */
export function hideCapabilities(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => void delete headers['idempotency-key']);
  app.addHook('onSend', async ({ url }, reply, payload) => {
    if (url !== '/server_info' || typeof payload !== 'string') return payload;
    const changed = JSON.stringify({ ...(JSON.parse(payload) as object), capabilities: [] });
    reply.header('content-length', Buffer.byteLength(changed));
    return changed;
  });
}
