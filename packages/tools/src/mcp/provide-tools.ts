import { abortable } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { type Confinement, isToolError, type ProvidedTools, type Sandbox, type ToolSession } from '@conv/core/tool';

import type { McpAuthorization } from './authorization.ts';
import type { ToolList } from './list-tools.ts';
import type { McpServerConfig } from './mcp-config.ts';
import { McpError, type NeededLogin } from './mcp-error.ts';
import { milliseconds } from './milliseconds.ts';
import { samplingOf, type McpSampling } from './sampling.ts';
import { ServerConnection } from './server-connection.ts';
import { NotAnswered } from './server-fault.ts';
import { LoginNeeded, ServerLogin } from './server-login.ts';
import { withoutLostValues } from './stored-values.ts';
import { ToolLists } from './tool-lists.ts';
import { ToolRefresh, WARNING } from './tool-refresh.ts';

/** Options of connecting; times in milliseconds. */
export interface ProvideOptions {
  readonly platform: Platform;
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** Confines the servers that are processes. */
  readonly sandbox: Sandbox | undefined;
  readonly connectTimeout: number;
  readonly callTimeout: number;
  /** The way to authorize at servers with the strategy `oauth2`. */
  readonly auth: McpAuthorization | undefined;
  /** Returns the trace that calls belong to. */
  readonly trace: (() => Readonly<Record<string, string>>) | undefined;
  /** Asks a model for servers. */
  readonly sampling: McpSampling | undefined;
  /** Names of other tools. */
  readonly taken: ReadonlySet<string>;
  readonly changed: () => void;
  readonly signal: AbortSignal;
}

/** Connects all servers at once and keeps their tools up to date. Rejects, with none left, if one cannot be used. */
export async function provideTools(session: ToolSession, options: ProvideOptions): Promise<ProvidedTools> {
  const { platform, connectTimeout, signal } = options;
  const confinement = await confinementFor(session, options);
  const refreshes = new Map<ServerConnection, ToolRefresh>();
  const servers = Object.entries(options.servers).map(([name, configured]) => {
    const { config, missing } = withoutLostValues(configured);
    if (missing.length > 0)
      process.emitWarning(`the MCP server ${name} has lost values: ${missing.join(', ')}`, WARNING);
    const callTimeout = config.timeout ? milliseconds(config.timeout) : options.callTimeout;
    const onToolsChanged = (): Promise<void> => refreshes.get(server)?.ask() ?? Promise.resolve();
    const server = new ServerConnection({
      platform,
      name,
      config,
      session,
      confinement,
      connectTimeout,
      callTimeout,
      login: loginFor(config, session, options),
      trace: options.trace,
      sampling: options.sampling && samplingOf(name, options.sampling),
      onToolsChanged,
    });
    return server;
  });
  const lists = new ToolLists(servers, options.taken);
  for (const server of servers) refreshes.set(server, new ToolRefresh(server, lists, options.changed));
  const close = once(async () => {
    for (const refresh of refreshes.values()) refresh.end();
    await Promise.all(servers.map((server) => server.close()));
    await confinement?.close();
  });
  try {
    await listAll(servers, lists, signal);
  } catch (error) {
    const closing = close();
    // an interrupt does not wait for servers to end
    if (!signal.aborted) await closing;
    throw error;
  }
  for (const refresh of refreshes.values()) refresh.start();
  return {
    get tools() {
      return lists.tools;
    },
    close,
  };
}

function loginFor(
  config: McpServerConfig,
  session: ToolSession,
  { platform, auth }: ProvideOptions,
): ServerLogin | undefined {
  if (!auth || config.auth?.strategy !== 'oauth2') return undefined;
  return new ServerLogin({ platform, config, authorization: auth, session });
}

/** Opens the sandbox of servers that are processes; `undefined` if there are none, or no sandbox. */
async function confinementFor(
  session: ToolSession,
  { sandbox, servers, signal }: ProvideOptions,
): Promise<Confinement | undefined> {
  const processes = Object.entries(servers).filter(([, { command }]) => command);
  if (!sandbox || processes.length === 0) return undefined;
  const opening = sandbox.open(session);
  try {
    return await abortable(opening, signal);
  } catch (error) {
    if (signal.aborted)
      opening.then(
        (confinement) => confinement.close(),
        () => undefined,
      );
    if (signal.aborted || !isToolError(error)) throw error;
    const names = processes.map(([name]) => name);
    const text = `MCP servers cannot be confined: ${names.join(', ')}: ${error.message}`;
    throw new McpError(error.code === 'UNSUPPORTED' ? 'UNSUPPORTED' : 'CONNECT_FAILED', names, text);
  }
}

async function listAll(servers: readonly ServerConnection[], lists: ToolLists, signal: AbortSignal): Promise<void> {
  const listed = new Map<ServerConnection, ToolList>();
  const failures = new Map<ServerConnection, unknown>();
  await Promise.all(
    servers.map(async (server) => {
      try {
        listed.set(server, await server.list(signal));
      } catch (error) {
        failures.set(server, error);
      }
    }),
  );
  signal.throwIfAborted();
  if (failures.size > 0) throw connectError(failures);
  const inOrder = new Map(servers.flatMap((server) => [[server, listed.get(server) ?? { tools: [], faults: [] }]]));
  for (const fault of lists.take(inOrder).faults) process.emitWarning(fault, WARNING);
}

const CONFINED =
  '. Processes run in a sandbox: files that they need beside the workspace and the system belong into its option read or write';

function connectError(failures: ReadonlyMap<ServerConnection, unknown>): McpError {
  const reasons = [...failures].map(([server, error]) => {
    const failure = server.explain(error);
    return `${server.options.name}: ${failure.kind === 'timeout' ? 'it did not answer in time' : failure.reason}`;
  });
  const isTimeout = [...failures.values()].every((error) => error instanceof NotAnswered);
  const hint = isTimeout
    ? '. Check that it runs and can be reached; where the first start of a server takes long, raise connectTimeout'
    : '';
  const isUnauthorized = [...failures.values()].every((error) => error instanceof LoginNeeded);
  const isConfined = [...failures.keys()].some(({ options: { confinement, config } }) => confinement && config.command);
  return new McpError(
    isTimeout ? 'TIMEOUT' : isUnauthorized ? 'UNAUTHORIZED' : 'CONNECT_FAILED',
    [...failures.keys()].map(({ options }) => options.name),
    `MCP servers cannot be used: ${reasons.join('; ')}${hint}${isConfined ? CONFINED : ''}`,
    isUnauthorized ? { logins: loginsIn(failures) } : {},
  );
}

function loginsIn(failures: ReadonlyMap<ServerConnection, unknown>): readonly NeededLogin[] {
  return [...failures].flatMap(([{ options }, error]) => {
    const address = error instanceof LoginNeeded ? error.address : undefined;
    return address === undefined ? [] : [{ server: options.name, address }];
  });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
