import type { AgentDefinition, Skill } from '@conv/agent';
import type { ConfirmationPolicyInput, SecretUpdate, SecurityAnalyzer } from '@conv/core';
import type { ClientToolInput, Sandbox, ToolProvider } from '@conv/core/tool';
import type { SandboxMode } from '@conv/sandbox';
import type { McpAuthorization, McpConfig } from '@conv/tools';

import { givenMcp } from '../conversation/given-mcp.ts';
import { takeSecrets } from '../conversation/given-secrets.ts';
import { safeguards } from '../conversation/safeguards.ts';
import { asking } from '../conversation/tool-names.ts';
import type { Config, ConfiguredModel } from './config-schema.ts';
import { skillsFor } from './skills-for.ts';
import { subAgentsFor } from './sub-agents-for.ts';

/** Options of an agent and its conversation on the command line. */
export interface GivenOptions {
  /** A file with a configuration. */
  readonly config?: string;
  readonly tools?: readonly string[];
  readonly toolConcurrency?: number;
  /** A file with MCP servers; `false`: none. */
  readonly mcp?: string | false;
  /** Names of variables that hold secrets. */
  readonly secret?: readonly string[];
  readonly confirm?: boolean;
  readonly confirmRisky?: boolean;
  readonly maxIterations?: number;
  /** US dollars. */
  readonly budget?: number;
  readonly sandbox?: SandboxMode;
  readonly sandboxRead?: readonly string[];
  readonly sandboxHost?: readonly string[];
}

/** Settings of an agent; absent members were not given. */
export interface AgentSettings {
  readonly tools?: readonly string[];
  readonly toolConcurrency?: number;
  /** Empty: none. */
  readonly servers?: McpConfig;
  readonly skills?: readonly Skill[];
  /** Sub-agents that it can give tasks to. */
  readonly agents?: readonly AgentDefinition[];
  /** Confines its commands, files and MCP servers. */
  readonly sandbox?: Sandbox;
  /** Authorizes at MCP servers. Default: servers that want OAuth are refused. */
  readonly logins?: {
    readonly auth: McpAuthorization;
    /** Returns the provider, whose tools come when the user has logged in where that is needed. */
    around(provider: ToolProvider): ToolProvider;
  };
}

/** Settings of a conversation; absent members were not given. */
export interface ConversationSettings {
  readonly maxIterations?: number;
  readonly maxBudgetPerRun?: number;
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  readonly securityAnalyzer?: SecurityAnalyzer;
  readonly secrets?: SecretUpdate;
  readonly clientTools?: readonly ClientToolInput[];
}

/** The options of the command line, or the members of a configuration, that say something about the sandbox. */
export interface SandboxSources {
  readonly mode: string;
  readonly read: string;
  readonly hosts: string;
}

/** Settings of a command. */
export interface Settings {
  readonly model: ConfiguredModel | undefined;
  /** Without a sandbox, which the commands that run agents here choose by the mode. */
  readonly agent: AgentSettings;
  readonly sandbox: SandboxMode | undefined;
  /** Paths that an agent in a sandbox reads as well, as they were given. */
  readonly sandboxRead: readonly string[];
  /** The only hosts that an agent in a sandbox reaches; empty for the network that the mode names. */
  readonly sandboxHosts: readonly string[];
  /** The places of the three, for messages. */
  readonly sandboxSources: SandboxSources;
  readonly conversation: ConversationSettings;
  /** Resolves with the skills of an agent in another folder than that of `agent`. */
  readonly skillsIn: (workspace: string) => Promise<readonly Skill[] | undefined>;
}

/**
 * Merges the command line and the configuration that it names; the command line wins. The skills of the project in `workspace` are
 * among its skills. Rejects {@link CommandError}, and `AgentError` for skills that cannot be read.
 */
export async function settingsOf(options: GivenOptions, workspace: string | undefined): Promise<Settings> {
  const config = options.config === undefined ? {} : await configOf(options.config);
  const projectOf = (folder: string | undefined): string | undefined => (config.project === false ? undefined : folder);
  const project = projectOf(workspace);
  const tools = options.tools ?? config.tools;
  const servers = options.mcp === undefined ? config.mcpServers : givenMcp(options.mcp);
  return {
    model: config.model,
    skillsIn: (folder) => skillsFor(config.skills, projectOf(folder)),
    sandbox: options.sandbox ?? config.sandbox,
    sandboxRead: options.sandboxRead ?? config.sandboxRead ?? [],
    sandboxHosts: options.sandboxHost ?? config.sandboxHosts ?? [],
    sandboxSources: sandboxSources(options, config),
    agent: withoutUndefined({
      tools: tools?.filter((name) => name !== asking),
      toolConcurrency: options.toolConcurrency ?? config.toolConcurrency,
      servers,
      skills: await skillsFor(config.skills, project),
      agents: config.agents && (await subAgentsFor(config.agents, project)),
    }),
    conversation: {
      ...withoutUndefined({
        maxIterations: options.maxIterations ?? config.maxIterations,
        maxBudgetPerRun: options.budget ?? config.budget,
      }),
      ...(tools?.includes(asking) ? { clientTools: [(await import('@conv/openhands/client-tools')).askUser] } : {}),
      ...safeguards(options, config.confirmationPolicy),
      ...takeSecrets([...new Set([...(config.secrets ?? []), ...(options.secret ?? [])])]),
    },
  };
}

function sandboxSources(options: GivenOptions, { sandbox }: Config): SandboxSources {
  const inFile = (member: string): string => `${member} in ${options.config}`;
  return {
    mode: options.sandbox === undefined ? inFile(`sandbox: ${sandbox}`) : `--sandbox ${options.sandbox}`,
    read: options.sandboxRead ? '--sandbox-read' : inFile('sandboxRead'),
    hosts: options.sandboxHost ? '--sandbox-host' : inFile('sandboxHosts'),
  };
}

/** The parser and the schema of configurations are loaded with the first one. */
async function configOf(file: string): Promise<Config> {
  const { readConfig } = await import('./read-config.ts');
  return readConfig(file);
}

type Said<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(members: T): Said<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Said<T>;
}
