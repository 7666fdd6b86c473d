import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

import { AccessKeys } from './auth/access-keys.ts';
import type { Caller } from './auth/principal.ts';
import type { ChildLauncher } from './conversations/child-launcher.ts';
import { ConversationInfos } from './conversations/conversation-infos.ts';
import { KnownConversations } from './conversations/known-conversations.ts';
import { ReachableFolders } from './conversations/reachable-folders.ts';
import { addCrossOrigin } from './auth/cross-origin.ts';
import { GuessLimit } from './auth/guess-limit.ts';
import { redeemTickets } from './auth/redeem-tickets.ts';
import { refuseCommands } from './auth/refuse-commands.ts';
import { addAuthentication } from './auth/route-auth.ts';
import { SessionTickets } from './auth/session-tickets.ts';
import { Vouchers } from './auth/vouchers.ts';
import { serveSession } from './routes/serve-session.ts';
import { serveWorkspaceSession } from './routes/serve-workspace-session.ts';
import type { ConversationHost } from './hosting/conversation-host.ts';
import { recordUses } from './routes/record-uses.ts';
import { serveAcp } from './routes/serve-acp.ts';
import { serveAudit } from './routes/serve-audit.ts';
import { serveCommands } from './routes/serve-commands.ts';
import { serveConversations, serveTrajectory } from './routes/serve-conversations.ts';
import { serveGoals } from './routes/serve-goals.ts';
import { servePast } from './routes/serve-past.ts';
import { serveSettings } from './routes/serve-settings.ts';
import { serveEvents } from './routes/serve-events.ts';
import { serveStreams, STREAM_TICKETS } from './routes/serve-streams.ts';
import { forwardCommands, type ForwardingDeps } from './forwarding/forward-commands.ts';
import { Peers } from './ownership/peers.ts';
import { addCommonHooks } from './http/common-hooks.ts';
import { Readiness } from './http/readiness.ts';
import { serveDocuments } from './routes/serve-documents.ts';
import { serveLoginCallback } from './logins/serve-login-callback.ts';
import { serveMcpTrials } from './logins/serve-mcp-trials.ts';
import { serveMetrics, PROTOCOL_VERSION, serveServerInfo, serveTools } from './routes/serve-server-info.ts';
import { serveSettingsStore } from './routes/serve-settings-store.ts';
import { serveCatalog } from './routes/serve-catalog.ts';
import { serveWorkspaceHost } from './routes/serve-workspace-host.ts';
import { serveWorkspace } from './routes/serve-conversation-files.ts';
import { FeedRegistry } from './sockets/feed-registry.ts';
import { conversationSockets } from './sockets/conversation-sockets.ts';
import { registerSockets } from './sockets/register-sockets.ts';
import { toSocketHost } from './sockets/socket-host.ts';
import { Senders } from './protocols/senders.ts';
import type { ServedReceivers, ServeReceiversDeps } from './receivers/serve-receivers.ts';
import type { AgentServerOptions } from './server-options.ts';
import type { ChangedConversations } from './webhooks/changed-conversations.ts';
import type { Webhooks } from './webhooks/webhooks.ts';
import type { WebhooksOptions } from './webhooks/webhooks-options.ts';

const SIXTEEN_MEBIBYTES = 16 * 1024 * 1024;

/** Parts of a server that its plugin makes. */
interface HostParts {
  readonly tickets: SessionTickets;
  readonly changed: ChangedConversations;
  readonly children: ChildLauncher;
}

/** Registers hooks, routes and sockets for the conversations of a host. */
export async function serveHost(
  app: FastifyInstance,
  host: ConversationHost,
  options: AgentServerOptions,
  { tickets, changed, children }: HostParts,
): Promise<void> {
  // a GET with ids in its body is a part of the protocol
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  const forwarding = await forwardingOf(host);
  if (forwarding) {
    forwardCommands(app, forwarding);
    app.addHook('onClose', async () => forwarding.requests.close());
  }
  const told = await serve(app, host, withOwnHost(options, host), { forwarding, tickets, changed, children });
  app.addHook('onReady', async () => {
    host.restore().catch((error: unknown) => host.report(error, { doing: 'restoring' }));
  });
  let webhooks: Webhooks | undefined;
  app.addHook('onReady', async () => {
    if (options.webhooks) webhooks = await startWebhooks(options.webhooks, host, changed);
    told?.start();
  });
  app.addHook('preClose', async () => {
    await Promise.all([webhooks?.close(), told?.close(), host.close()]);
  });
}

async function startWebhooks(
  options: WebhooksOptions,
  host: ConversationHost,
  changed: ChangedConversations,
): Promise<Webhooks> {
  const { serveWebhooks } = await import('./webhooks/serve-webhooks.ts');
  const infos = new ConversationInfos(host, new KnownConversations(host));
  return serveWebhooks(options, { host, changed, infos });
}

/** Resolves with the receivers of protocols; with `undefined` for a server without the option. */
async function receiversOf(
  { receivers: options, protocols = [], cipher }: AgentServerOptions,
  deps: Omit<ServeReceiversDeps, 'cipher'>,
): Promise<ServedReceivers | undefined> {
  if (!options || !cipher) return undefined;
  const { serveReceivers } = await import('./receivers/serve-receivers.ts');
  return serveReceivers(options, protocols, { ...deps, cipher });
}

/** Returns how commands are forwarded to the owners of conversations; `undefined` for a server without a fleet. */
async function forwardingOf(host: ConversationHost): Promise<ForwardingDeps | undefined> {
  const { platform, options } = host;
  const { fleet } = options;
  if (!fleet) return undefined;
  const { OwnerRequests } = await import('./forwarding/owner-requests.ts');
  const peers = new Peers(fleet, platform);
  return {
    platform,
    peers,
    observer: fleet.observer,
    requests: new OwnerRequests(peers),
    ownerOf: (id) => host.ownerOf(id),
  };
}

/** Allows this server's own name in the fleet as a host, because the other servers use it. */
function withOwnHost(options: AgentServerOptions, { options: { fleet } }: ConversationHost): AgentServerOptions {
  if (!fleet) return options;
  const hosts = [...(options.cors?.hosts ?? []), new URL(fleet.url).hostname];
  return { ...options, cors: { ...options.cors, hosts } };
}

/** Registers all routes and sockets. Resolves with what tells the receivers of protocols, which the caller starts and closes. */
async function serve(
  app: FastifyInstance,
  host: ConversationHost,
  options: AgentServerOptions,
  { forwarding, tickets, changed, children }: HostParts & { readonly forwarding: ForwardingDeps | undefined },
): Promise<Webhooks | undefined> {
  const { platform } = host;
  const { readOnly = null } = options;
  const keys = new AccessKeys(options);
  const guesses = new GuessLimit(platform);
  const peer = peerCaller(app.prefix, forwarding);
  const known = new KnownConversations(host);
  const streamTickets = new SessionTickets(platform, STREAM_TICKETS);
  const vouchers = new Vouchers();
  const { protocols = [] } = options;
  const feeds = new FeedRegistry(host, platform);
  const reach = new ReachableFolders(known, host.worktrees.folder);
  const { bodyLimit = SIXTEEN_MEBIBYTES } = options;
  app.addHook('onRoute', (route) => void (route.bodyLimit ??= bodyLimit));
  addCommonHooks(app, { platform, report: (error, about) => host.report(error, about) });
  serveDocuments(app, options.about?.version ?? PROTOCOL_VERSION);
  redeemTickets(app, { keys, guesses, tickets });
  addCrossOrigin(app, options.cors, keys);
  addAuthentication(app, {
    keys,
    guesses,
    peer: (request) => peer(request.raw),
    checkKnown: (caller, id) => known.check(caller, id),
    streamTickets,
    vouchers,
  });
  if (readOnly !== null) refuseCommands(app, readOnly);
  recordUses(app, host);
  serveWorkspaceSession(app);
  serveSession(app, { keys, guesses, tickets, usedBy: (caller) => host.usage.usedBy(caller) });
  const readiness = new Readiness(options.store, platform);
  serveServerInfo(
    app,
    {
      platform,
      readiness,
      readOnly,
      sandbox: options.sandbox?.name,
      protocols: protocols.map(({ name }) => name),
      init: options.deferredInit,
      isEncrypting: options.cipher !== undefined,
      guesses,
      ...pickRuntimes(options),
    },
    options.about,
  );
  serveTools(app, options.about);
  if (options.metrics) serveMetrics(app, options.metrics);
  if (options.logins)
    serveLoginCallback(app, options.logins, (error) =>
      host.report(error, { doing: 'ending a login at an MCP server' }),
    );
  if (options.logins && options.mcpTrials)
    serveMcpTrials(app, { platform, cipher: options.cipher, logins: options.logins, trials: options.mcpTrials });
  serveConversations(app, host, { known, reach, children });
  serveCommands(app, host);
  serveSettings(app, host);
  serveAcp(app, host, options.acpModels);
  serveGoals(app, host);
  servePast(app, host);
  serveEvents(app, host);
  serveStreams(app, { platform, feeds, tickets: streamTickets, knows: (caller, id) => known.knows(caller, id) });
  serveTrajectory(app, host);
  serveAudit(app, host);
  serveWorkspace(app, host, reach);
  const { workspaceRoots = ['/'] } = options;
  const projects = [...workspaceRoots, host.worktrees.folder];
  if (options.catalog) serveCatalog(app, options.catalog, { projects, plugins: options.plugins });
  if (options.settingsStore) {
    const anew = (error: unknown): void => host.report(error, { doing: 'encrypting settings anew' });
    if (readOnly === null) await options.settingsStore.renew(anew);
    serveSettingsStore(app, options.settingsStore, options);
  }
  const machine = {
    host,
    platform,
    own: () => options.protect?.().paths ?? [],
    reach: (caller: Caller) => reach.of(caller),
    sandbox: options.sandbox,
  };
  const workspaceHost = options.workspaceHost ? [await serveWorkspaceHost(app, options.workspaceHost, machine)] : [];
  registerSockets(app, {
    platform,
    keys,
    guesses,
    peer,
    vouchers,
    knows: (caller, id) => known.knows(caller, id),
    cors: options.cors,
    handlers: [...conversationSockets({ platform, host: toSocketHost(host, forwarding), feeds }), ...workspaceHost],
    report: (error, path) => host.report(error, { doing: `serving ${path}` }),
    observer: options.sockets,
  });
  if (protocols.length > 0) {
    const { serveProtocols } = await import('./routes/serve-protocols.ts');
    const { settingsStore, workspaceHost: { workingDirectory: folder } = {} } = options;
    const senders = new Senders();
    const served = await receiversOf(options, { host, known, keys, senders, changed });
    const receivers = served?.receivers;
    serveProtocols(app, protocols, { host, known, vouchers, senders, receivers, settingsStore, folder });
    return served?.webhooks;
  }
  return undefined;
}

function pickRuntimes({ runtimes }: AgentServerOptions): Pick<AgentServerOptions, 'runtimes'> {
  return runtimes ? { runtimes } : {};
}

/** Returns a function for the caller that another server of the fleet vouches for in a forwarded request. */
function peerCaller(
  prefix: string,
  forwarding: ForwardingDeps | undefined,
): (request: IncomingMessage) => Caller | undefined {
  return ({ headers, method = '', url = '' }) =>
    forwarding?.peers.callerOf(headers, { method, path: url.slice(prefix.length) });
}
