import type { FastifyInstance } from 'fastify';

/**
 * Ends each connection after its current answer when the instance closes. Otherwise connections are kept alive, and closing waits
 * for idle clients.
 */
export function endConnections(app: FastifyInstance): void {
  let closing = false;
  const endIdle = (): void => void setImmediate(() => app.server.closeIdleConnections());
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onResponse', async () => {
    if (closing) endIdle();
  });
}
