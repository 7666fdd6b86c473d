import { mkdir } from 'node:fs/promises';

import { watchedStore } from '@conv/otel/work';
import {
  agentServer,
  type AgentServer,
  type AgentServerOptions,
  type FleetObserver,
  type RuntimesOptions,
  serveStudio,
  type WebhookObserver,
  type WebhooksOptions,
} from '@conv/server';
import type { ServedProtocol } from '@conv/server/protocols';
import type { ChosenSandbox } from '@conv/sandbox';
import { openStore, type StoreAddress } from '@conv/stores';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

import type { Configuration } from './configuration/effective-configuration.ts';
import { secretsOf } from './configuration/webhook-settings.ts';
import type { LivingVaults } from './living-vaults.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { openKept, type Kept } from './open-kept.ts';
import { ownKeys } from './own-keys.ts';
import { runtimesOf } from './executors/runtimes.ts';
import { closingOf, listen, newApp, portOf, urlOf } from './http-app.ts';
import { servedProtocols } from './protocols/served-protocols.ts';
import { logRequests } from './request-log.ts';
import { runLog } from './run-log.ts';
import type { RunningServer, Waited, Watchers } from './running-server.ts';
import { serverVersion } from './server-version.ts';
import { confiningOf, tellOf } from './start/confining.ts';
import { tellOfLogin } from './start/tell-of-login.ts';
import type { Tracing } from './tracing/export-spans.ts';
import { allOf, type WorkObserver } from './work/work-observer.ts';

/**
 * Starts a server, an executor if the configuration asks for one, or a server that waits for the rest of its configuration. Resolves when it takes
 * requests; rejects when its store cannot be opened or its port is taken. `waited`: the server whose place it takes; rejects with the reason of its
 * signal when that server stops first.
 */
export async function startAgentServer(
  configuration: Configuration,
  watchers: Watchers,
  waited?: Waited,
): Promise<RunningServer> {
  if (configuration.executor) return (await import('./executor.ts')).startExecutor(configuration, watchers);
  if (configuration.deferredInit)
    return (await import('./waiting.ts')).startWaiting(configuration, watchers, startAgentServer);
  const { log, vaults, tracing, visited } = watchers;
  waited?.signal.throwIfAborted();
  const folders = [configuration.conversationsFolder, configuration.workspaceFolder];
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  const givenFoldersOf = (id: string): Promise<readonly string[]> => server.givenFoldersOf(id);
  // begun before the rest is loaded and opened, because it waits for programs that it starts
  const places = placesOf(configuration, log, givenFoldersOf);
  const { serverOptions } = await import('./server-options.ts');
  const keys = await ownKeys(configuration);
  vaults.hide([...keys.hidden, ...secretsOf(configuration.webhooks)]);
  const report = (error: unknown, about: object): void => log.error({ err: error, ...about }, 'failed');
  const kept = await openKept(configuration, keys, (error) => report(error, { doing: 'reading the named keys' }));
  const opened = await openStore(configuration.store, {
    report: (finding) => log.warn(finding, 'store'),
    leaseTimeout: configuration.takeoverSeconds * 1000,
  }).catch(async (error: unknown) => {
    await kept.close();
    throw error;
  });
  const app = newApp(configuration, waited?.port);
  const close = closingOf(app, configuration, async () => {
    await kept.close();
    await opened.close();
    await tracing?.shutdown();
  });
  const metrics = new ServerMetrics(() => server.host.load);
  const runs = allOf([metrics.work, runLog(log), ...(await spansOf(tracing, vaults))]);
  const trace = tracing && (await import('@conv/otel')).traceHeaders;
  const { confining, runtimes } = await orEnd(close, () => places);
  const makeServer = async (): Promise<AgentServer> =>
    agentServer({
      ...serverOptions(configuration, {
        keys,
        kept,
        log,
        vaults,
        visited,
        opened,
        confining,
        runtimes,
        ownUrl: () => ownUrlOf(app),
        startChild: (parentId, child) => server.startChild(parentId, child),
        principalOf: (id) => server.principalOf(id),
        trace,
      }),
      store: watchedStore(opened.store, runs, (error, conversationId) =>
        report(error, { conversationId, doing: 'counting' }),
      ),
      runs,
      // runs must end a step before clients are cut off
      handoverGrace: configuration.shutdownSeconds * 400,
      ...fleetOf(configuration, { metrics, log, kind: opened.address.kind, key: keys.fleetKey }),
      sockets: { ...metrics.sockets, refused: (path, address) => log.warn({ path, address }, 'socket refused') },
      protocols: protocolsOf(configuration, (error) => report(error, { doing: 'serving a protocol' })),
      ...receiversOf(configuration, kept),
      ...webhooksOf(configuration, { registry: kept.registry, observer: metrics.webhooks }),
      metrics: { text: () => metrics.text(), open: configuration.metricsOpen },
      report,
      ...(waited ? { deferredInit: waited.init } : {}),
    });
  const server: AgentServer = await orEnd(close, makeServer);
  try {
    waited?.signal.throwIfAborted();
    logRequests(app, log);
    metrics.countRequests(app);
    if (configuration.studioFolder !== undefined) serveStudio(app, configuration.studioFolder);
    if (configuration.staticFolder !== undefined)
      await (await import('./static-files.ts')).serveStaticFiles(app, configuration.staticFolder);
    if (tracing) await joinCallers(app);
    await app.register(server);
    // behind the hooks of the plugin, because the hook that is added last runs first
    if (waited) app.addHook('onClose', async () => waited.port.drained());
    await (waited ? app.ready() : listen(app, configuration));
    waited?.signal.throwIfAborted();
    tellOf(confining, log);
    if (configuration.oidc) void tellOfLogin(configuration.oidc, log);
    // the last step, because the server that waited cannot take its place back
    waited?.port.passOn();
  } catch (error) {
    await close();
    throw error;
  }
  const url = urlOf(configuration.host, portOf(app));
  const token = keys.token?.made;
  const startLink = (): string | undefined => {
    const key = token ?? configuration.sessionKeys[0] ?? configuration.approverKeys[0];
    if (key === undefined) return undefined;
    return configuration.studioFolder === undefined
      ? `${url}/?ticket=${server.issueTicket(key)}`
      : `${url}/studio/#ticket=${server.issueTicket(key)}`;
  };
  return { url, token, startLink, close };
}

interface Places {
  readonly confining: ChosenSandbox;
  readonly runtimes: RuntimesOptions;
}

/** Begins to try what confines tools. Resolves with it, and with the places in which they may act; the caller may take the result late. */
function placesOf(...given: Parameters<typeof runtimesOf>): Promise<Places> {
  const found = async (): Promise<Places> => ({
    confining: await confiningOf(...given),
    runtimes: await runtimesOf(...given),
  });
  const places = found();
  // the caller may fail before it takes the result, and gets the same rejection otherwise
  places.catch(() => undefined);
  return places;
}

/** Resolves with what `make` resolves with. If it fails, ends what was begun before. */
async function orEnd<T>(end: () => Promise<void>, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await end();
    throw error;
  }
}

/** Returns the observer that makes spans of runs, if traces are exported. */
async function spansOf(tracing: Tracing | undefined, { mask }: LivingVaults): Promise<readonly WorkObserver[]> {
  if (!tracing) return [];
  const { RunSpans } = await import('@conv/otel');
  return [new RunSpans(tracing.tracer, { mask, content: tracing.content })];
}

/** Lets the runs that a request begins belong to the trace of its caller. */
async function joinCallers(app: FastifyInstance): Promise<void> {
  const { withCaller } = await import('@conv/otel');
  app.addHook('onRequest', ({ headers }, _, done) => withCaller(headers['traceparent'], done, headers['tracestate']));
}

interface FleetParts {
  readonly metrics: ServerMetrics;
  readonly log: Logger;
  readonly kind: StoreAddress['kind'];
  readonly key: string;
}

/** Returns the fleet options if other servers can reach this server. */
function fleetOf(
  { serverUrl: url, serverPeers: peers }: Configuration,
  { metrics, log, kind, key }: FleetParts,
): Pick<AgentServerOptions, 'fleet'> {
  if (url === undefined) return {};
  const observer: FleetObserver = {
    ...metrics.fleet,
    tookOver: (conversation, { withoutOwner }) => {
      metrics.fleet.tookOver?.(conversation, { withoutOwner });
      log.info({ conversation, ...(withoutOwner === undefined ? {} : { withoutOwner }) }, 'run taken over');
    },
  };
  // each scan of an object store costs money
  const scanInterval = kind === 's3' ? 10_000 : 2000;
  return { fleet: { url, peers, key, observer, scanInterval } };
}

/** Returns the option of webhooks if there is a receiver. */
function webhooksOf(
  { webhooks: endpoints, webhookHosts: hosts }: Configuration,
  parts: Pick<WebhooksOptions, 'registry'> & { readonly observer: WebhookObserver },
): Pick<AgentServerOptions, 'webhooks'> {
  return endpoints.length === 0 ? {} : { webhooks: { endpoints, hosts, ...parts } };
}

/** Returns the option of receivers if clients of a protocol may name some. */
function receiversOf(
  { protocols, webhookHosts: hosts }: Configuration,
  { registry }: Kept,
): Pick<AgentServerOptions, 'receivers'> {
  return protocols.includes('a2a') ? { receivers: { registry, hosts } } : {};
}

/** Returns the protocols that the server speaks beside its own routes. */
function protocolsOf(
  { protocols, agentName: name, agentDescription: description, webhookHosts: hosts }: Configuration,
  onError: (error: unknown) => void,
): readonly ServedProtocol[] {
  return servedProtocols(protocols, { name, description, version: serverVersion(), hosts, onError });
}

/** Returns the URL of the server for this machine; `undefined` before it listens. */
function ownUrlOf(app: FastifyInstance): string | undefined {
  return app.server.listening ? `http://127.0.0.1:${portOf(app)}` : undefined;
}
