import { checks } from '@conv/core';

import { ConfigurationError } from './configuration.ts';
import type { Given } from './effective-configuration.ts';
import type { GivenWithFiles } from './key-files.ts';
import { numberedWebhooks } from './webhook-settings.ts';

/** Variables of each setting; the first that is set counts. Variables with `OH_` are those of OpenHands' server. */
const VARIABLES: Readonly<Record<keyof Given, readonly string[]>> = {
  host: ['CONV_HOST'],
  port: ['CONV_PORT'],
  sessionKeys: ['OH_SESSION_API_KEYS', 'SESSION_API_KEY'],
  sessionKeyDigests: ['CONV_SESSION_KEY_DIGESTS'],
  approverKeys: ['CONV_APPROVER_KEYS'],
  oidc: ['CONV_OIDC'],
  secretKey: ['OH_SECRET_KEY'],
  oldSecretKeys: ['CONV_OLD_SECRET_KEYS', 'OH_PREVIOUS_SECRET_KEYS'],
  store: ['CONV_STORE'],
  conversationsFolder: ['OH_CONVERSATIONS_PATH'],
  workspaceFolder: ['OH_WORKSPACE_PATH'],
  worktreesFolder: ['OH_CONVERSATION_WORKTREE_ROOT'],
  settingsFolder: ['OH_PERSISTENCE_DIR'],
  allowedFolders: ['CONV_ALLOWED_FOLDERS'],
  executor: ['CONV_EXECUTOR'],
  deferredInit: ['OH_DEFERRED_INIT'],
  sandbox: ['CONV_SANDBOX'],
  sandboxLimits: ['CONV_SANDBOX_LIMITS'],
  sandboxRead: ['CONV_SANDBOX_READ'],
  sandboxHosts: ['CONV_SANDBOX_HOSTS'],
  sandboxOutside: ['CONV_SANDBOX_OUTSIDE'],
  runtimes: ['CONV_RUNTIMES', 'OH_CONVERSATION_RUNTIME'],
  containerImage: ['OH_CONVERSATION_IMAGE'],
  containerLimits: ['CONV_CONTAINER_LIMITS'],
  containerRuntime: ['CONV_CONTAINER_RUNTIME'],
  corsOrigins: ['OH_ALLOW_CORS_ORIGINS'],
  corsOriginPattern: ['OH_ALLOW_CORS_ORIGIN_REGEX'],
  publicUrl: ['CONV_PUBLIC_URL'],
  mcpHosts: ['CONV_MCP_HOSTS'],
  serverUrl: ['CONV_SERVER_URL'],
  serverPeers: ['CONV_SERVER_PEERS'],
  webhooks: ['CONV_WEBHOOKS', 'OH_WEBHOOKS'],
  webhookHosts: ['CONV_WEBHOOK_HOSTS'],
  protocols: ['CONV_PROTOCOLS'],
  titles: ['CONV_TITLES'],
  agentName: ['CONV_AGENT_NAME'],
  agentDescription: ['CONV_AGENT_DESCRIPTION'],
  userFolder: ['CONV_USER_FOLDER'],
  pluginHosts: ['CONV_PLUGIN_HOSTS'],
  marketplace: ['CONV_MARKETPLACE'],
  marketplaceRef: ['EXTENSIONS_REF'],
  takeoverSeconds: ['CONV_TAKEOVER_SECONDS'],
  maxConcurrentRuns: ['OH_MAX_CONCURRENT_RUNS'],
  reservedCost: ['CONV_RESERVED_COST'],
  approvalSeconds: ['CONV_APPROVAL_SECONDS'],
  bashEventSeconds: ['OH_BASH_EVENTS_RETENTION_SECONDS'],
  idleSeconds: ['CONV_IDLE_SECONDS'],
  abandonedSeconds: ['CONV_ABANDONED_SECONDS'],
  shutdownSeconds: ['CONV_SHUTDOWN_SECONDS'],
  logLevel: ['CONV_LOG_LEVEL'],
  logJson: ['LOG_JSON'],
  metricsOpen: ['CONV_METRICS_OPEN'],
  staticFolder: ['OH_STATIC_FILES_PATH'],
  studioFolder: ['CONV_STUDIO_FOLDER'],
};

const LISTS = new Set([
  'sessionKeys',
  'sessionKeyDigests',
  'approverKeys',
  'oldSecretKeys',
  'allowedFolders',
  'sandboxRead',
  'sandboxHosts',
  'runtimes',
  'corsOrigins',
  'serverPeers',
  'webhookHosts',
  'protocols',
  'pluginHosts',
  'mcpHosts',
]);

/** Lists of paths, which may be written with colons between them. */
const PATHS: ReadonlySet<string> = new Set(['allowedFolders', 'sandboxRead']);

/** Settings whose variables are JSON objects. */
const OBJECTS: ReadonlySet<string> = new Set(['sandboxLimits', 'containerLimits', 'oidc', 'webhooks']);

/** Settings whose variables may have `_FILE` behind their names: then they name a file that holds the keys. */
const IN_FILES: ReadonlySet<string> = new Set(['sessionKeys', 'approverKeys', 'secretKey', 'oldSecretKeys']);

/** Prefixes of this program's own variables and of OpenHands' variables. */
const PREFIX = /^(?:CONV|OH)_/;

/** Variables of OpenHands' server without effect here, which must not be reported as misspelt. */
const WITHOUT_EFFECT = [
  'OH_ACP_SKILL_SOURCING',
  'OH_AGENT_SERVER_VERSION',
  'OH_APP_BACKEND_PUBLIC_URL',
  'OH_BASH_EVENTS_DIR',
  'OH_CONVERSATION_CONTAINER_CPUS',
  'OH_CONVERSATION_CONTAINER_MEMORY',
  'OH_CONVERSATION_CONTAINER_PIDS_LIMIT',
  'OH_CONVERSATION_CONTAINER_STARTUP_TIMEOUT',
  'OH_CONVERSATION_IMAGE_HAS_BROWSER',
  'OH_CONVERSATION_RUNTIME_SELECTABLE',
  'OH_CONVERSATION_STORAGE_DISK_BUDGET',
  'OH_CONVERSATION_STORAGE_RETENTION_DAYS',
  'OH_ENABLE_BROWSER',
  'OH_ENABLE_VNC',
  'OH_ENABLE_VSCODE',
  'OH_ENV',
  'OH_EXTRA_PYTHON_PATH',
  'OH_INTERNAL_SERVER_URL',
  'OH_LEASE_TTL_SECONDS',
  'OH_PRELOAD_TOOLS',
  'OH_TELEMETRY',
  'OH_TRUST_FORWARDED_HEADERS',
  'OH_VSCODE_BASE_PATH',
  'OH_VSCODE_PORT',
  'OH_WEB_URL',
];

/** Variables with these prefixes, including variables that name files. */
const KNOWN: readonly string[] = [
  'CONV_CONFIG',
  ...WITHOUT_EFFECT,
  ...Object.entries(VARIABLES).flatMap((one) => withFiles(...one)),
].filter((name) => PREFIX.test(name));

/** Variables that may have numbers behind their names. */
const NUMBERED: ReadonlySet<string> = new Set(
  Object.entries(VARIABLES).flatMap(([setting, names]) => (LISTS.has(setting) ? names : [])),
);

/** The variable of the key with which the programs of this repository ask a server. */
const KEY_OF_CLIENTS = 'OH_SESSION_API_KEY';

/**
 * Variables of OpenTelemetry with the address of a collector. With an invalid address spans would go to a collector on this
 * machine.
 */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** Variables by name; an empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the settings of the environment. A list is written as `NAME_0`, `NAME_1` and so on, as a JSON array in `NAME`, or as a
 * single value in `NAME`, paths with colons between them. `NAME_FILE` names a file with keys. Limits are a JSON object. Webhooks are JSON, or have
 * a variable for each member.
 */
export function fromEnvironment(environment: Environment): GivenWithFiles {
  const given: Record<string, unknown> = {};
  for (const [setting, names] of Object.entries(VARIABLES)) {
    for (const name of names) {
      const file = IN_FILES.has(setting) ? present(environment[`${name}_FILE`]) : undefined;
      if (file !== undefined) given[`${setting}File`] ??= file;
      const value = LISTS.has(setting)
        ? readList(environment, name, setting)
        : (present(environment[name]) ?? (setting === 'webhooks' ? numberedWebhooks(environment, name) : undefined));
      if (value === undefined) continue;
      given[setting] = OBJECTS.has(setting) && typeof value === 'string' ? parsed(value) : value;
      break;
    }
  }
  return given;
}

/** Returns the name of the variable of a setting. */
export function variableOf(setting: string): string {
  return (VARIABLES as Readonly<Record<string, readonly string[]>>)[setting]?.[0] ?? setting;
}

/** Throws {@link ConfigurationError} for a variable that would have no effect: a misspelt name, or the address of no collector. */
export function checkVariables(environment: Environment): void {
  if (present(environment[KEY_OF_CLIENTS]) !== undefined)
    throw new ConfigurationError(
      `the environment: ${KEY_OF_CLIENTS} is the key of clients; for a key of this server set OH_SESSION_API_KEYS_0 or OH_SESSION_API_KEYS_FILE, else unset it`,
    );
  for (const name of ENDPOINTS) {
    const url = present(environment[name]);
    if (url !== undefined && !(URL.canParse(url) && /^https?:/.test(url)))
      throw new ConfigurationError(`${name}: expected a URL such as http://127.0.0.1:4318`);
  }
  for (const name of Object.keys(environment).filter((each) => PREFIX.test(each))) {
    const list = name.replace(/_\d+$/, '');
    const error = misspelt(NUMBERED.has(list) ? list : name);
    if (error) throw error;
  }
}

/**
 * Returns the error of a name by which a known one was meant. Other programs may have variables with these prefixes, so the names must also be
 * near without them: `CONV_CI` is no misspelling of `CONV_OIDC`.
 */
function misspelt(name: string): ConfigurationError | undefined {
  const near = KNOWN.includes(name) ? undefined : checks.closestName(name, KNOWN);
  if (near === undefined) return undefined;
  if (checks.closestName(name.replace(PREFIX, ''), [near.replace(PREFIX, '')]) === undefined) return undefined;
  return new ConfigurationError(`the environment: there is no option ${JSON.stringify(name)}; did you mean ${near}?`);
}

function withFiles(setting: string, names: readonly string[]): readonly string[] {
  return IN_FILES.has(setting) ? names.flatMap((name) => [name, `${name}_FILE`]) : names;
}

function readList(environment: Environment, name: string, setting: string): unknown {
  const numbered = Object.keys(environment)
    .filter((key) => key.startsWith(`${name}_`) && /^\d+$/.test(key.slice(name.length + 1)))
    .toSorted((a, b) => Number(a.slice(name.length + 1)) - Number(b.slice(name.length + 1)))
    .map((key) => present(environment[key]))
    .filter((value) => value !== undefined);
  if (numbered.length > 0) return numbered;
  const value = present(environment[name]);
  if (value === undefined) return undefined;
  if (value.startsWith('[')) return parsed(value);
  return PATHS.has(setting) ? value.split(':').filter((part) => part !== '') : [value];
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
