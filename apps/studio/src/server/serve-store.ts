import { join } from 'node:path';

import { type Environment, reviveSecurityAnalyzer } from '@conv/agent';
import { errorText } from '@conv/core';
import { type ChosenSandbox, chooseSandbox, type SandboxChoices, type SandboxMode, sandboxNotice } from '@conv/sandbox';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { type AgentServer, agentServer, type AgentServerOptions } from '@conv/server';
import { defaultStoreAddress, openStore, parseStoreAddress, pathsOfStore } from '@conv/stores';
import { createStuckDetector } from '@conv/stuck';
import { shellEnvironment } from '@conv/tools';

import { otherOwner } from './other-owner.ts';
import { type Place, StudioError } from './place.ts';
import { noAgents, studioAgents } from './studio-agents.ts';

/** An agent server over a store, to be registered, and the store behind it. */
export interface StoreServer {
  readonly plugin: AgentServer;
  /** The name of the model that agents get; `undefined` for a server that takes no commands. */
  readonly model: string | undefined;
  /** A sentence for people about what confines commands; `undefined` for a server that takes no commands. */
  readonly notice: string | undefined;
  /** See {@link otherOwner}. `null` without a model, because nothing may be claimed then. */
  otherOwner(id: string): Promise<string | null>;
  /** Closes the store. Call it after the server is closed. */
  close(): Promise<void>;
}

export interface StoreServerOptions {
  readonly environment: Environment;
  /** The session key of studio. */
  readonly key: string;
  readonly sandbox?: SandboxMode | undefined;
  readonly sandboxRead?: readonly string[] | undefined;
  readonly sandboxHosts?: readonly string[] | undefined;
  /** Starts without commands, for this reason. Default: commands are taken if the environment has a model. */
  readonly readOnly?: string | undefined;
  readonly report: (error: unknown, about: object) => void;
}

/**
 * Serves the conversations of a store on this machine. The agents' model comes from the environment; without a model the server is
 * read-only and says so. An interrupted run continues only after a command to its conversation, never because the conversation was
 * viewed. Rejects for a store that cannot be opened, and
 * {@link StudioError} for a sandbox that cannot be had.
 */
export async function serveStore(
  { address, parsed }: Extract<Place, { kind: 'store' }>,
  {
    environment,
    key,
    readOnly,
    sandbox: mode = 'auto',
    sandboxRead: read = [],
    sandboxHosts: hosts = [],
    report,
  }: StoreServerOptions,
): Promise<StoreServer> {
  const chosen =
    readOnly === undefined
      ? await chosenSandbox(mode, { hide: pathsOfStore(address), read, hosts, caches: true, gitIdentity: true })
      : {};
  const made = readOnly === undefined ? studioAgents(environment, chosen) : { reason: readOnly };
  const opened = await openStore(address, { report: (finding) => report(finding, { doing: 'reading the store' }) });
  const secretKey = environment['OH_SECRET_KEY'] ?? '';
  const cipher = secretKey === '' ? {} : { cipher: fernetCipher(secretKey) };
  const plugin = agentServer({
    store: opened.store,
    persistenceDir: parsed.kind === 'fs' ? parsed.directory : sideFilesFolder(environment),
    ...cipher,
    secrets: createSecretVault,
    analyzers: reviveSecurityAnalyzer,
    stuckDetector: createStuckDetector(),
    restoreRuns: false,
    sessionKeys: [key],
    cors: { checkHost: true },
    report,
    ...('reason' in made ? { agents: noAgents, readOnly: made.reason } : withAgents(made, chosen)),
  });
  const model = 'reason' in made ? undefined : made.model.name;
  return {
    plugin,
    model,
    notice: model === undefined || mode === 'off' ? undefined : sandboxNotice(chosen),
    otherOwner: async (id) => (model === undefined ? null : otherOwner(opened.store, id)),
    close: () => opened.close(),
  };
}

/** Resolves with the sandbox of agents. Rejects {@link StudioError} where the mode refuses the machine. */
async function chosenSandbox(mode: SandboxMode, choices: SandboxChoices): Promise<ChosenSandbox> {
  try {
    return await chooseSandbox(mode, choices);
  } catch (cause) {
    throw new StudioError(errorText(cause), { cause });
  }
}

function withAgents(
  { agents, model, tools }: Exclude<ReturnType<typeof studioAgents>, { reason: string }>,
  { sandbox, unconfined }: ChosenSandbox,
): Pick<AgentServerOptions, 'agents' | 'models' | 'about' | 'sandbox' | 'workspaceHost'> {
  return {
    agents,
    models: async () => model,
    about: { tools, ...(unconfined === undefined ? {} : { unconfined }) },
    ...(sandbox ? { sandbox } : {}),
    workspaceHost: { workingDirectory: process.cwd(), environment: shellEnvironment() },
  };
}

/** The folder of uploads and other side files of conversations whose store keeps no folders. */
function sideFilesFolder(environment: Environment): string {
  const store = parseStoreAddress(defaultStoreAddress(environment));
  return join(store.kind === 'fs' ? store.directory : '.', '..', 'side-files');
}
