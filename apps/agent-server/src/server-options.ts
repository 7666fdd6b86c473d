import {
  isLlmError,
  modelProfiles,
  reviveSecurityAnalyzer,
  storedModel,
  type StartChild,
  storedModelWithProfiles,
  titleFor,
} from '@conv/agent';
import type { JsonObject } from '@conv/core';
import type { ChosenSandbox } from '@conv/sandbox';
import { createSecretVault } from '@conv/secrets';
import type { AgentServerOptions, RuntimesOptions } from '@conv/server';
import type { OpenedStore } from '@conv/stores';
import { createStuckDetector } from '@conv/stuck';
import { shellEnvironment } from '@conv/tools';
import type { Logger } from 'pino';

import { askAcpModels } from './acp-models.ts';
import { type AgentDeps, agentsWith, toolNames } from './agents.ts';
import type { Configuration } from './configuration/effective-configuration.ts';
import { catalogOf } from './catalog.ts';
import { hiddenPlaces } from './hidden-places.ts';
import type { LivingVaults } from './living-vaults.ts';
import { type LoginParts, loginsOption, mcpLogins } from './mcp-logins.ts';
import { mcpTrials } from './mcp-trials.ts';
import type { Kept } from './open-kept.ts';
import type { OwnKeys } from './own-keys.ts';
import { pluginFolders } from './plugins/plugin-folders.ts';
import { serverPlugins } from './plugins/server-plugins.ts';
import { protectedPlaces } from './protected-places.ts';
import { serverHooks } from './server-hooks.ts';
import { serverVersion } from './server-version.ts';
import { stuckDetectorWith } from './stuck-thresholds.ts';

/** Parts of a server beside its configuration. */
export interface ServerParts {
  readonly keys: OwnKeys;
  readonly kept: Kept;
  readonly log: Logger;
  readonly vaults: LivingVaults;
  readonly visited: (() => void) | undefined;
  readonly opened: OpenedStore;
  readonly confining: ChosenSandbox;
  readonly runtimes: RuntimesOptions;
  /** Returns the URL of this server, for clients that name paths of it; `undefined` before it listens. */
  readonly ownUrl: () => string | undefined;
  /** Starts a child of a conversation for its agent. */
  readonly startChild: StartChild;
  readonly principalOf: LoginParts['principalOf'];
  /** Returns the trace that calls of MCP servers belong to; `undefined` without tracing. */
  readonly trace: AgentDeps['trace'];
}

/** Returns the implementations behind the interfaces of the server. */
export function serverOptions(
  configuration: Configuration,
  {
    keys,
    kept,
    log,
    vaults,
    visited,
    opened,
    confining: { sandbox, unconfined },
    runtimes,
    ownUrl,
    startChild,
    principalOf,
    trace,
  }: ServerParts,
): AgentServerOptions {
  const { conversationsFolder, workspaceFolder, worktreesFolder, allowedFolders } = configuration;
  const { sessionKeys, sessionKeyDigests, approverKeys } = configuration;
  const environment = shellEnvironment();
  const { cipher, settingsStore, namedKeys, registry } = kept;
  const auth = mcpLogins(configuration, { kept, log, ownUrl, principalOf });
  const profiles = modelProfiles({ objects: settingsStore.models, cipher });
  const parts: AgentDeps = { profiles, metaProfiles: settingsStore.rules, startChild, auth, trace };
  const told = {
    leaveOut: (tool: string): void => log.warn({ tool }, 'an agent was created without an unknown tool'),
    unreadable: (secret: string): void =>
      log.warn({ secret }, 'an agent was created without a secret that another key encrypted; see OH_SECRET_KEY'),
  };
  const plugins = serverPlugins({
    folders: pluginFolders(configuration.userFolder),
    hosts: configuration.pluginHosts,
    hidden: hiddenPlaces(configuration),
    marketplace: configuration.marketplace,
    ...(configuration.marketplaceRef === undefined ? {} : { marketplaceRef: configuration.marketplaceRef }),
    leftOut: (reason) => log.warn({ reason }, 'left out a part of a skill or a plugin'),
  });
  return {
    store: opened.store,
    persistenceDir: opened.address.kind === 'fs' ? opened.address.directory : conversationsFolder,
    agents: agentsWith({ sandbox, outside: configuration.sandboxOutside }, parts, told),
    cipher,
    secrets: vaults.remembering((options) => createSecretVault({ ...options, baseUrl: ownUrl() })),
    analyzers: reviveSecurityAnalyzer,
    hooks: serverHooks(sandbox),
    stuckDetector: createStuckDetector(),
    stuckDetectorWith,
    models: (llm) => storedModelWithProfiles(llm, profiles),
    checkModel,
    acpModels: askAcpModels(sandbox, workspaceFolder),
    profiles: settingsStore,
    titlesByAgents: configuration.titles === 'model',
    makeTitle: async (message, { conversationId, profile, prompt, signal }) => {
      const model = await profiles.load(profile).catch((error: unknown) => {
        log.warn(
          { error, conversationId, profile },
          "the agent's model makes a title, because that of the profile cannot",
        );
        return undefined;
      });
      return model && titleFor(model, message, { signal, ...(prompt === undefined ? {} : { prompt }) });
    },
    settingsStore,
    catalog: catalogOf(plugins),
    plugins,
    about: { tools: toolNames, programVersion: serverVersion(), ...(unconfined === undefined ? {} : { unconfined }) },
    ...(sandbox ? { sandbox } : {}),
    workspaceHost: {
      workingDirectory: workspaceFolder,
      environment,
      // clients may read the folders in which conversations work
      allowedFolders: [...allowedFolders, worktreesFolder],
      ...bashRetentionOf(configuration),
    },
    runtimes,
    worktrees: { folder: worktreesFolder, environment },
    ...(allowedFolders.includes('/') ? {} : { workspaceRoots: allowedFolders }),
    sessionKeys,
    approverKeys,
    namedKeys,
    ...(configuration.oidc ? { oidc: configuration.oidc } : {}),
    ...loginsOption(auth),
    mcpTrials: mcpTrials({ auth, kept, sandbox, workingDirectory: workspaceFolder }),
    usage: { registry, reserve: configuration.reservedCost },
    sessionKeyDigests: keys.token ? [keys.token.digests] : sessionKeyDigests,
    protect: () => protectedPlaces(configuration, ownUrl()),
    keyShown: (key, until) => {
      vaults.hide([key], until);
      visited?.();
    },
    cors: corsOf(configuration),
    maxConcurrentRuns: configuration.maxConcurrentRuns,
    idleTimeout: configuration.idleSeconds * 1000,
    ...approvalTimeoutOf(configuration),
  };
}

function approvalTimeoutOf({ approvalSeconds: seconds }: Configuration): Pick<AgentServerOptions, 'approvalTimeout'> {
  return seconds === undefined ? {} : { approvalTimeout: seconds * 1000 };
}

function bashRetentionOf({
  bashEventSeconds: seconds,
}: Configuration): Pick<NonNullable<AgentServerOptions['workspaceHost']>, 'bashRetention'> {
  return seconds === undefined ? {} : { bashRetention: seconds * 1000 };
}

/** Returns which pages of other origins may call. */
export function corsOf({ corsOrigins, corsOriginPattern }: Configuration): NonNullable<AgentServerOptions['cors']> {
  const pattern = corsOriginPattern === undefined ? {} : { originPattern: new RegExp(corsOriginPattern) };
  return { origins: corsOrigins, ...pattern };
}

/** Milliseconds within which a model must answer a check. */
const CHECK_LIMIT = 30_000;

/** Rejects with the problem of a model. A busy model passes. */
async function checkModel(llm: JsonObject): Promise<void> {
  try {
    await titleFor(storedModel(llm), 'ping', { signal: AbortSignal.timeout(CHECK_LIMIT) });
  } catch (error) {
    if (!isLlmError(error) || error.code === 'UNAVAILABLE' || !error.retryable) throw error;
  }
}
