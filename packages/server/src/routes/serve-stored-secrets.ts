import { settingsRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { readable } from '../settings/secret-exposure.ts';
import type { SecretsFile } from '../settings/stored-secrets.ts';

/** Serves the secrets that clients store. A value is shown only to callers with the right to approve, and never cached. */
export function serveStoredSecrets(app: FastifyInstance, secrets: SecretsFile): void {
  serveRoute(app, settingsRoutes.listSecrets, () =>
    readable('Secrets', async () => ({ secrets: await secrets.list() })),
  );
  serveRoute(app, settingsRoutes.setSecret, ({ body: { name, value, description } }) =>
    readable('Secrets', () => secrets.set(name, value, description ?? undefined)),
  );
  serveRoute(app, settingsRoutes.getSecret, ({ params, reply }) =>
    readable('Secrets', async () => {
      const value = await secrets.value(params.name);
      if (value === undefined) throw new ApiError(404, 'Secret not found');
      void reply.header('cache-control', 'no-store');
      return Buffer.from(value);
    }),
  );
  serveRoute(app, settingsRoutes.removeSecret, ({ params }) =>
    readable('Secrets', async () => {
      if (!(await secrets.delete(params.name))) throw new ApiError(404, 'Secret not found');
      return { deleted: true };
    }),
  );
}
