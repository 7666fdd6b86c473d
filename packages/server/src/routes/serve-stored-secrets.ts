import { settingsRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingFiles } from './settings-serving.ts';
import { ApiError } from '../http/api-error.ts';
import type { SecretsFile } from '../settings/stored-secrets.ts';

/** Serves the secrets that clients store. A value is shown only to callers with the right to approve, and never cached. */
export function serveStoredSecrets(app: FastifyInstance, secrets: SecretsFile): void {
  const serve = servingFiles(app, 'Secrets');
  serve(settingsRoutes.listSecrets, async () => ({ secrets: await secrets.list() }));
  serve(settingsRoutes.setSecret, ({ body: { name, value, description } }) =>
    secrets.set(name, value, description ?? undefined),
  );
  serve(settingsRoutes.getSecret, async ({ params, reply }) => {
    const value = await secrets.value(params.name);
    if (value === undefined) throw new ApiError(404, 'Secret not found');
    void reply.header('cache-control', 'no-store');
    return Buffer.from(value);
  });
  serve(settingsRoutes.removeSecret, async ({ params }) => {
    if (!(await secrets.delete(params.name))) throw new ApiError(404, 'Secret not found');
    return { deleted: true };
  });
}
