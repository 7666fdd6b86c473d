import type { Platform } from '@conv/core/platform';
import type { FastifyInstance } from 'fastify';

/** Ends each connection after its current answer when the instance closes, which would otherwise wait for idle clients. */
export function endConnections(app: FastifyInstance, platform: Pick<Platform, 'nextTurn'>): void {
  let closing = false;
  const endIdle = (): void => void platform.nextTurn().then(() => app.server.closeIdleConnections());
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onResponse', async () => {
    if (closing) endIdle();
  });
}
