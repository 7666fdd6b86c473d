import type { FastifyInstance } from 'fastify';

/**
 * Has connections end with the answer that is under way when the instance closes. They are kept alive otherwise, and closing waits
 * for clients that have nothing more to say.
 */
export function endConnections(app: FastifyInstance): void {
  let closing = false;
  const endIdle = (): void => void setImmediate(() => app.server.closeIdleConnections());
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onResponse', async () => {
    if (closing) endIdle();
  });
}
