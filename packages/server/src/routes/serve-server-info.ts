import type { Platform } from '@conv/core/platform';
import { CAPABILITIES, type ServerInfo, serverRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type { GuessLimit } from '../auth/guess-limit.ts';
import type { Readiness } from '../http/readiness.ts';
import type { DeferredInit } from '../init/deferred-init.ts';
import { serveInit, serveNoInit } from '../init/serve-init.ts';
import { runtimesOf, type RuntimesOptions } from '../hosting/runtimes.ts';
import { serveRoute } from '../http/serve-route.ts';
import { DEFAULT_TOOLS } from '../settings/default-settings.ts';

/** Tools that an agent has only if a client or a profile names them, as with OpenHands' server. */
const UNSELECTABLE: ReadonlySet<string> = new Set([
  'start_child_conversation',
  'read_file',
  'write_file',
  'edit',
  'list_directory',
  'planning_file_editor',
  'ask_oracle',
  'ClassifyAndSwitchLLMTool',
]);

/**
 * Capabilities of OpenHands' servers that this server has as well, by their names there. Left out are the credentials of other programs (ACP) and the
 * programs of extensions.
 */
const OF_OPENHANDS = [
  'conversation_runtime_routes_v1',
  'profile_secret_scope_v1',
  'profile_persona_v1',
  'idempotent_conversation_create_v1',
  'tool_catalog_v1',
  'agent_profile_draft_materialize_v1',
  'agent_launch_pipeline_v1',
  'profile_public_skills_v1',
  'skill_catalog_v1',
];

/** Information that a server gives about itself. */
export interface ServerAbout {
  /** The version of OpenHands' server that clients may assume; SemVer. Default: the newest release whose routes are all served here. */
  readonly version?: string;
  /** The commit that it was built from. Default `unknown`. */
  readonly commit?: string;
  /** The version of the program that serves, as `conv_version` of `/server_info`. Default: none. */
  readonly programVersion?: string;
  /** Names of the tools that agents may have here. Default: none. */
  readonly tools?: readonly string[];
  /** The reason for which commands run without a sandbox that was asked for. Default: none was. */
  readonly unconfined?: string;
}

export interface ServerInfoDeps {
  readonly platform: Pick<Platform, 'monotonic'>;
  /** Default: the server is ready until it closes. */
  readonly readiness?: Pick<Readiness, 'isReady'>;
  /** The reason why the server accepts no commands. Default `null`: it accepts them. */
  readonly readOnly?: string | null;
  /** The name of the sandbox in which commands run. Default: none. */
  readonly sandbox?: string | undefined;
  /** The places in which tools of conversations act. Default: this process. */
  readonly runtimes?: RuntimesOptions;
  /** Names of the protocols that are served beside the routes. Default: none. */
  readonly protocols?: readonly string[];
  /** Capabilities beyond OpenHands'. Default: those of a server of conversations. */
  readonly capabilities?: readonly string[];
  /** The configuration by a request. Default: the server was configured when it started. */
  readonly init?: DeferredInit | undefined;
  /** True if the server has a secret key. Default `false`. */
  readonly isEncrypting?: boolean;
  /** Makes addresses wait that show wrong keys. */
  readonly guesses: GuessLimit;
}

/** The newest release of OpenHands' server up to which every new route and socket is served here; a test of `docs/openhands.md` checks it. */
export const PROTOCOL_VERSION = '1.58.2';

/** Serves the routes that clients call first: health, readiness and the capabilities of the server. */
export function serveServerInfo(
  app: FastifyInstance,
  {
    platform,
    readiness,
    readOnly = null,
    sandbox,
    protocols = [],
    capabilities = [...Object.values(CAPABILITIES), ...OF_OPENHANDS],
    init,
    isEncrypting = false,
    guesses,
    ...deps
  }: ServerInfoDeps,
  about: ServerAbout = {},
): void {
  const started = platform.monotonic();
  let lastRequest = started;
  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onRequest', async ({ url }) => {
    if (url.startsWith('/api/')) lastRequest = platform.monotonic();
  });
  serveRoute(app, serverRoutes.getAlive, () => ({ status: 'ok' }));
  serveRoute(app, serverRoutes.getHealth, () => ({ status: 'ok' }));
  serveRoute(app, serverRoutes.getReady, async ({ reply }): Promise<Record<string, string>> => {
    const isReady = closing || ((await readiness?.isReady()) ?? true);
    if (isReady && !closing) return { status: 'ready' };
    void reply.code(503);
    if (closing) return { status: 'stopping', message: 'the server is stopping' };
    return { status: 'unavailable', message: 'the store does not answer' };
  });
  const runtimes = runtimesOf(deps);
  const names = Object.keys(runtimes.offered);
  const info = (): ServerInfo => {
    const now = platform.monotonic();
    const times = { uptime: (now - started) / 1000, idle_time: (now - lastRequest) / 1000 };
    return {
      ...described(about),
      ...times,
      capabilities: [...capabilities],
      read_only: readOnly,
      sandbox: sandbox ?? null,
      protocols: [...protocols],
      conversation_runtime: runtimes.default,
      available_conversation_runtimes: names.length > 1 ? names : [],
      app_backend_ingress_url: null,
    };
  };
  serveRoute(app, serverRoutes.getInfo, info);
  serveRoute(app, { ...serverRoutes.getInfo, path: '/' }, info);
  if (init) serveInit(app, init, guesses);
  else serveNoInit(app, isEncrypting);
}

/** Serves the lists of the tools that agents may have. */
export function serveTools(app: FastifyInstance, about: ServerAbout = {}): void {
  serveRoute(app, serverRoutes.listTools, () => about.tools ?? []);
  serveRoute(app, serverRoutes.describeTools, () => ({
    tools: (about.tools ?? []).map((name) => ({
      name,
      user_selectable: !UNSELECTABLE.has(name),
      usable: true,
      description: '',
      in_default_set: DEFAULT_TOOLS.includes(name),
    })),
  }));
}

function described({
  version = PROTOCOL_VERSION,
  commit = 'unknown',
  programVersion,
  tools = [],
  unconfined,
}: ServerAbout): Omit<
  ServerInfo,
  | 'uptime'
  | 'idle_time'
  | 'read_only'
  | 'sandbox'
  | 'protocols'
  | 'capabilities'
  | 'conversation_runtime'
  | 'available_conversation_runtimes'
  | 'app_backend_ingress_url'
> {
  return {
    title: 'OpenHands Agent Server',
    version,
    sdk_version: version,
    tools_version: version,
    workspace_version: version,
    conv_version: programVersion ?? null,
    unconfined: unconfined ?? null,
    build_git_sha: commit,
    build_git_ref: 'unknown',
    python_version: 'none',
    usable_tools: tools,
    runtime_idle_timeout_seconds: null,
    max_foreground_terminal_timeout_seconds: null,
    docs: '/docs',
    redoc: '/redoc',
  };
}

/** Metrics of a server. */
export interface ServerMetrics {
  /** The text for Prometheus. A rejection is answered with 500. */
  readonly text: () => Promise<string>;
  /** True if metrics can be read without a key. Default `false`. */
  readonly open?: boolean;
}

export function serveMetrics(app: FastifyInstance, { text, open = false }: ServerMetrics): void {
  serveRoute(app, open ? { ...serverRoutes.getMetrics, auth: 'none' } : serverRoutes.getMetrics, async () =>
    Buffer.from(await text()),
  );
}
