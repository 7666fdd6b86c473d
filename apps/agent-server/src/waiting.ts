import process from 'node:process';

import { errorText } from '@conv/core';
import { checkWebhookEndpoints, DeferredInit, type InitRequest, UnusableInitError, waitingServer } from '@conv/server';
import { shellEnvironment } from '@conv/tools';
import type { Logger } from 'pino';

import { ConfigurationError } from './configuration/configuration.ts';
import type { Configuration, Given } from './configuration/effective-configuration.ts';
import { isStrongKey, WEAK_KEY } from './configuration/strong-key.ts';
import { closingOf, listen, newApp, PassedPort, portOf, urlOf } from './http-app.ts';
import type { LivingVaults } from './living-vaults.ts';
import { servedProtocols } from './protocols/served-protocols.ts';
import { logRequests } from './request-log.ts';
import { corsOf } from './server-options.ts';
import type { RunningServer, Waited, Watchers } from './running-server.ts';
import { serverVersion } from './server-version.ts';
import { openingsOf } from './start/openings.ts';

/** Shortest value of a variable that is hidden. A shorter one occurs in ordinary text. */
const SHORTEST = 8;

/** Starts the server that takes the place of the waiting one. */
type Start = (configuration: Configuration, watchers: Watchers, waited: Waited) => Promise<RunningServer>;

/**
 * Starts a server that opens no store and knows no key of a client until `POST /api/init` brings the rest of its configuration. Then the server takes
 * its place at the same port. Resolves when it takes requests; rejects when its port is taken.
 */
export async function startWaiting(
  configuration: Configuration,
  watchers: Watchers,
  start: Start,
): Promise<RunningServer> {
  const { log, vaults, tracing } = watchers;
  const { secretKey = '', oldSecretKeys, protocols } = configuration;
  vaults.hide([secretKey, ...oldSecretKeys]);
  const app = newApp(configuration);
  const port = new PassedPort(app.server);
  // a server that could not start must not end the traces of the next
  const parts = { ...watchers, tracing: tracing && { ...tracing, shutdown: async () => undefined } };
  let running: Promise<RunningServer> | undefined;
  const stopping = new AbortController();
  let closing: Promise<void> | undefined;
  const init = new DeferredInit({
    key: secretKey,
    mask: vaults.mask,
    start: async (request) => {
      // the body of a request may arrive after the end has begun, which would not see what starts then
      stopping.signal.throwIfAborted();
      const completed = completedBy(configuration, request);
      const { env = {} } = request;
      const restore = restoringVariables(Object.keys(env));
      try {
        setVariables(env, vaults);
        running = start(completed, parts, { port, init, signal: stopping.signal });
        await running;
      } catch (error) {
        restore();
        throw error;
      }
      tellOfOpenings(completed, log);
      return completed.secretKey ?? secretKey;
    },
  });
  const closeApp = closingOf(app, configuration, async () => tracing?.shutdown());
  const end = async (): Promise<void> => {
    stopping.abort(new Error('expected a running server, found one that is stopping; ask another one'));
    const server = await running?.catch(() => undefined);
    await server?.close();
    await closeApp();
  };
  try {
    logRequests(app, log);
    await app.register(
      waitingServer({
        init,
        cors: corsOf(configuration),
        about: { programVersion: serverVersion() },
        protocols: servedProtocols(protocols, { version: serverVersion() }),
        report: (error, about) => log.error({ err: error, ...about }, 'failed'),
      }),
    );
    await listen(app, configuration);
  } catch (error) {
    await closeApp();
    throw error;
  }
  return {
    url: urlOf(configuration.host, portOf(app)),
    token: undefined,
    // no key opens it yet
    startLink: () => undefined,
    close: () => (closing ??= end()),
  };
}

/** Returns the whole configuration. Throws {@link UnusableInitError} that names the setting. */
function completedBy({ complete }: Configuration, request: InitRequest): Configuration {
  if (!complete) throw new Error('expected a server that waits for its configuration, found one that has it');
  try {
    const completed = complete(settingsIn(request));
    const { sessionKeys, sessionKeyDigests, approverKeys, oidc } = completed;
    const hasKey = sessionKeys.length + sessionKeyDigests.length + approverKeys.length > 0;
    if (!hasKey && oidc === undefined)
      throw new UnusableInitError(
        'session_api_keys: expected a key, found none; send one, because no client could use the server without it',
      );
    // it is compared with the keys of requests also when the server is ready
    if (completed.secretKey !== undefined && !isStrongKey(completed.secretKey))
      throw new UnusableInitError(`secret_key: it opens POST /api/init: ${WEAK_KEY}`);
    checkWebhooksOf(completed);
    return completed;
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    throw new UnusableInitError(cause.message, { cause });
  }
}

/** Throws {@link UnusableInitError} for a receiver that the server would refuse when it starts. */
function checkWebhooksOf({ webhooks }: Configuration): void {
  try {
    checkWebhookEndpoints('webhooks', webhooks);
  } catch (cause) {
    throw new UnusableInitError(errorText(cause), { cause });
  }
}

/** Logs that the server runs, and what its settings open. Never throws, because the server cannot wait again. */
function tellOfOpenings(completed: Configuration, log: Logger): void {
  try {
    log.info('initialized');
    for (const opening of openingsOf(completed)) log.warn({ opening }, 'opened by its settings');
  } catch (error) {
    log.error({ err: error, doing: 'logging what the settings open' }, 'failed');
  }
}

/** Returns the settings that a request names. A blank secret key counts as none. */
function settingsIn(request: InitRequest): Given {
  const { secret_key: secretKey } = request;
  return {
    sessionKeys: request.session_api_keys,
    secretKey: secretKey?.trim() === '' ? undefined : secretKey,
    oldSecretKeys: request.previous_secret_keys,
    conversationsFolder: request.conversations_path,
    worktreesFolder: request.conversation_worktree_root,
    webhooks: request.webhooks,
    corsOrigins: request.allow_cors_origins,
    maxConcurrentRuns: request.max_concurrent_runs,
  };
}

/** Sets variables of this process. Values that commands do not get, because they look like credentials, are hidden in texts. */
function setVariables(variables: Readonly<Record<string, string>>, vaults: LivingVaults): void {
  Object.assign(process.env, variables);
  const shown = shellEnvironment();
  const hidden = Object.entries(variables).filter(([name, value]) => !(name in shown) && value.length >= SHORTEST);
  vaults.hide(hidden.map(([, value]) => value));
}

/** Returns a function that gives variables of this process the values back which they have now. */
function restoringVariables(names: readonly string[]): () => void {
  const before = names.map((name) => [name, process.env[name]] as const);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
