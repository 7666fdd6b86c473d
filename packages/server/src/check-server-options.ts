import { checkOptionNames, describeValue, type OptionNames } from '@conv/core';

import { checkRegistry } from '@conv/store-kit/registry';

import { AUTH_OPTIONS, type AuthOptions } from './auth/access-keys.ts';
import type { CorsOptions } from './auth/cross-origin.ts';
import { checkOidc } from './auth/oidc.ts';
import { LOCAL, offered, type ExecutorRuntime, type RuntimesOptions } from './hosting/runtimes.ts';
import type { FleetOptions } from './ownership/fleet-options.ts';
import { checkReceivers } from './receivers/receivers-options.ts';
import { checkProtocols } from './protocols/served-protocol.ts';
import type { AgentServerOptions } from './server-options.ts';
import type { UsageOptions } from './usage/usage.ts';
import { checkLogins } from './logins/logins-options.ts';
import { checkTrials } from './logins/trials-options.ts';
import { checkWebhooks } from './webhooks/check-webhooks.ts';
import type { WorkspaceHostOptions } from './workspace/workspace-host.ts';
import type { WorktreeOptions } from './workspace/worktrees.ts';

const SERVER: OptionNames<AgentServerOptions> = {
  store: true,
  persistenceDir: true,
  workspaceRoots: true,
  worktrees: true,
  runtimes: true,
  agents: true,
  cipher: true,
  secrets: true,
  analyzers: true,
  hooks: true,
  protect: true,
  stuckDetector: true,
  stuckDetectorWith: true,
  models: true,
  plugins: true,
  profiles: true,
  makeTitle: true,
  titlesByAgents: true,
  subscribers: true,
  runs: true,
  usage: true,
  maxConcurrentRuns: true,
  approvalTimeout: true,
  idleTimeout: true,
  handoverGrace: true,
  readOnly: true,
  restoreRuns: true,
  fleet: true,
  platform: true,
  report: true,
  ...AUTH_OPTIONS,
  cors: true,
  about: true,
  catalog: true,
  settingsStore: true,
  checkModel: true,
  acpModels: true,
  githubApi: true,
  workspaceHost: true,
  sandbox: true,
  metrics: true,
  sockets: true,
  webhooks: true,
  receivers: true,
  protocols: true,
  logins: true,
  mcpTrials: true,
  bodyLimit: true,
  deferredInit: true,
};

const CORS: OptionNames<CorsOptions> = {
  origins: true,
  originPattern: true,
  hosts: true,
  checkHost: true,
};

const WORKSPACE_HOST: OptionNames<WorkspaceHostOptions> = {
  workingDirectory: true,
  environment: true,
  allowedFolders: true,
  maxUpload: true,
  maxCommands: true,
  bashRetention: true,
};

const FLEET: OptionNames<FleetOptions> = {
  url: true,
  peers: true,
  key: true,
  scanInterval: true,
  observer: true,
};

const RUNTIMES: OptionNames<RuntimesOptions> = { default: true, offered: true };

const RUNTIME: OptionNames<ExecutorRuntime> = { most: true, worktrees: true, open: true, remove: true };

const USAGE: OptionNames<UsageOptions> = { registry: true, reserve: true };

const WORKTREES: OptionNames<WorktreeOptions> = { folder: true, environment: true };

/** Checks the options of a server before it is built. Throws a `TypeError` that names the member and its valid values. */
export function checkServerOptions(options: AgentServerOptions): void {
  if (typeof (options as { readonly register?: unknown } | undefined)?.register === 'function')
    throw new TypeError(
      'agentServer: expected its options, found an instance of Fastify; register the result: app.register(agentServer({ … }))',
    );
  checkOptionNames('agentServer', options, SERVER);
  const { store, persistenceDir, agents, workspaceHost, sandbox, fleet } = options;
  if (typeof store?.open !== 'function') throw wrong('store', 'a store such as new FsStore({ directory })', store);
  if (typeof persistenceDir !== 'string' || persistenceDir === '')
    throw wrong('persistenceDir', 'the path of a folder', persistenceDir);
  if (typeof agents?.revive !== 'function')
    throw wrong('agents', 'an agent factory such as createAgentFactory()', agents);
  if (sandbox !== undefined && typeof sandbox?.open !== 'function')
    throw wrong('sandbox', 'a sandbox such as sandbox() of @conv/sandbox', sandbox);
  const { readOnly } = options;
  if (readOnly !== undefined && (typeof readOnly !== 'string' || readOnly === ''))
    throw wrong('readOnly', 'the reason as a text', readOnly);
  if (readOnly !== undefined && fleet !== undefined)
    throw new TypeError('agentServer: expected readOnly or fleet, found both; a server of a fleet takes commands');
  if (readOnly !== undefined && options.webhooks !== undefined)
    throw new TypeError('agentServer: expected readOnly or webhooks, found both; webhooks write how far they came');
  if (readOnly !== undefined && options.receivers !== undefined)
    throw new TypeError(
      'agentServer: expected readOnly or receivers, found both; receivers are stored when they are named',
    );
  if (readOnly !== undefined && options.logins !== undefined)
    throw new TypeError('agentServer: expected readOnly or logins, found both; a login is stored when it ends');
  const { approvalTimeout } = options;
  if (approvalTimeout !== undefined && !(typeof approvalTimeout === 'number' && approvalTimeout > 0))
    throw wrong('approvalTimeout', 'milliseconds above 0', approvalTimeout);
  checkTexts('agentServer', 'workspaceRoots', options.workspaceRoots);
  checkAccess('agentServer', options);
  if (options.worktrees !== undefined) checkOptionNames('agentServer: worktrees', options.worktrees, WORKTREES);
  if (options.runtimes !== undefined) checkRuntimes(options.runtimes);
  if (workspaceHost !== undefined) checkWorkspaceHost('agentServer', workspaceHost);
  if (fleet !== undefined) checkOptionNames('agentServer: fleet', fleet, FLEET);
  if (options.usage !== undefined) checkUsage(options.usage);
  if (options.webhooks !== undefined) checkWebhooks('agentServer: webhooks', options.webhooks);
  if (options.receivers !== undefined) checkReceivers('agentServer: receivers', options.receivers);
  if (options.receivers !== undefined && options.cipher === undefined)
    throw new TypeError('agentServer: expected cipher beside receivers, found none; receivers have keys');
  if (options.protocols !== undefined) checkProtocols('agentServer: protocols', options.protocols);
  if (options.logins !== undefined) checkLogins('agentServer: logins', options.logins);
  if (options.mcpTrials !== undefined) checkTrials('agentServer: mcpTrials', options.mcpTrials);
  if (options.mcpTrials !== undefined && options.logins === undefined)
    throw new TypeError('agentServer: expected logins beside mcpTrials, found none; a trial may need a login');
}

function checkUsage(usage: UsageOptions): void {
  checkOptionNames('agentServer: usage', usage, USAGE);
  checkRegistry('agentServer: usage', usage.registry);
  const { reserve } = usage;
  if (reserve !== undefined && !(typeof reserve === 'number' && reserve >= 0 && reserve < Infinity))
    throw wrong('usage: reserve', 'US dollars from 0', reserve);
}

/** Checks the places in which tools may act. Throws a `TypeError` that names the member. */
function checkRuntimes(runtimes: RuntimesOptions): void {
  checkOptionNames('agentServer: runtimes', runtimes, RUNTIMES);
  for (const [name, runtime] of Object.entries(runtimes.offered)) {
    if (runtime === true && name === LOCAL) continue;
    if (runtime === true || typeof runtime?.open !== 'function')
      throw wrong(
        `runtimes: offered: ${name}`,
        'an object with open(conversation); true stands for local alone',
        runtime,
      );
    checkOptionNames(`agentServer: runtimes: offered: ${name}`, runtime, RUNTIME);
  }
  if (offered(runtimes, runtimes.default) === undefined)
    throw wrong('runtimes: default', `one of ${Object.keys(runtimes.offered).join(', ')}`, runtimes.default);
}

/** Checks the options of the file, git and command routes. Throws a `TypeError` that names the member. */
export function checkWorkspaceHost(place: string, workspaceHost: WorkspaceHostOptions): void {
  checkOptionNames(`${place}: workspaceHost`, workspaceHost, WORKSPACE_HOST);
}

/** Checks who may call: keys and origins. Throws a `TypeError` that names the place and the member. */
export function checkAccess(
  place: string,
  { sessionKeys, approverKeys, principal, oidc, cors }: AuthOptions & { cors?: CorsOptions },
): void {
  checkTexts(place, 'sessionKeys', sessionKeys);
  checkTexts(place, 'approverKeys', approverKeys);
  if (principal !== undefined && typeof principal !== 'function')
    throw wrong('principal', 'a function from a key to its principal', principal, place);
  if (oidc !== undefined) checkOidc(place, oidc);
  if (cors === undefined) return;
  checkOptionNames(`${place}: cors`, cors, CORS);
  checkTexts(place, 'cors: origins', cors.origins);
}

/** Checks that a member is a list of texts, because a single text would be read character by character. */
function checkTexts(place: string, name: string, given: unknown): void {
  if (given === undefined || (Array.isArray(given) && given.every((each) => typeof each === 'string'))) return;
  throw wrong(name, "a list of texts, such as ['…']", given, place);
}

function wrong(name: string, expected: string, found: unknown, place = 'agentServer'): TypeError {
  return new TypeError(`${place}: ${name}: expected ${expected}, found ${describeValue(found)}`);
}
