import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { createSecretVault } from '@conv/secrets';
import { executorServer } from '@conv/server';
import { executorTools, shellEnvironment } from '@conv/tools';

import type { Configuration } from './configuration/effective-configuration.ts';
import { closingOf, listen, newApp, portOf, urlOf } from './http-app.ts';
import { logRequests } from './request-log.ts';
import type { RunningServer, Watchers } from './running-server.ts';
import { serverVersion } from './server-version.ts';
import { sessionToken } from './session-token.ts';
import { confiningOf, tellOf } from './start/confining.ts';

/**
 * Starts an executor: it opens no store, reads no settings and knows no model. Resolves when it takes requests; rejects when its port is
 * taken, or when the sandbox that it was told to use cannot be had.
 */
export async function startExecutor(
  configuration: Configuration,
  { log, vaults, tracing, visited }: Watchers,
): Promise<RunningServer> {
  const { workspaceFolder, conversationsFolder, allowedFolders, settingsFolder } = configuration;
  const { sessionKeys, sessionKeyDigests, approverKeys } = configuration;
  await mkdir(workspaceFolder, { recursive: true, mode: 0o700 });
  const confining = await confiningOf(configuration, log);
  tellOf(confining, log);
  const { sandbox, unconfined } = confining;
  const hasKey = sessionKeys.length + sessionKeyDigests.length + approverKeys.length > 0;
  const token = hasKey ? undefined : await sessionToken(settingsFolder);
  vaults.hide([...sessionKeys, ...approverKeys, ...(token?.made === undefined ? [] : [token.made])]);
  const app = newApp(configuration);
  const close = closingOf(app, configuration, async () => tracing?.shutdown());
  try {
    logRequests(app, log);
    await app.register(
      executorServer({
        executor: executorTools({
          secrets: vaults.remembering(createSecretVault),
          sideDirectory: (id) => join(conversationsFolder, id, 'observations'),
          sandbox,
        }),
        workspaceHost: { workingDirectory: workspaceFolder, environment: shellEnvironment(), allowedFolders },
        sandbox,
        about: { programVersion: serverVersion(), ...(unconfined === undefined ? {} : { unconfined }) },
        sessionKeys,
        approverKeys,
        sessionKeyDigests: token ? [token.digests] : sessionKeyDigests,
        keyShown: (key) => {
          vaults.hide([key]);
          visited?.();
        },
        report: (error, about) => log.error({ err: error, ...about }, 'failed'),
      }),
    );
    await listen(app, configuration);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: urlOf(configuration.host, portOf(app)),
    token: token?.made,
    // there is no page to open
    startLink: () => undefined,
    close,
  };
}
