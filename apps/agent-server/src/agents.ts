import {
  type AgentDefinition,
  type AgentFactoryOptions,
  askOracleTool,
  createAgentFactory,
  delegateTool,
  loadProjectAgentDefinitions,
  type ModelProfiles,
  routeTaskTool,
  type RouteTaskOptions,
  type StartChild,
  startChildTool,
  type SubAgentsOptions,
  taskTool,
  type ToolRegistry,
} from '@conv/agent';
import type { AgentFactory } from '@conv/core';
import type { Sandbox, ToolFactory, ToolSession } from '@conv/core/tool';
import {
  fileEditor,
  type McpAuthorization,
  mcpServers,
  type McpServersOptions,
  presetTools,
  taskTracker,
  terminal,
  type TerminalOptions,
} from '@conv/tools';

import { specialists } from './built-in-sub-agents.ts';

type Mcp = NonNullable<SubAgentsOptions['mcp']>;

/** The confinement of the tools of agents. */
export interface Confining {
  readonly sandbox: Sandbox | undefined;
  /** `ask` lets an agent ask a person about a command that the sandbox refuses. */
  readonly outside: NonNullable<TerminalOptions['outside']>;
}

/** Parts of the server that agents use. */
export interface AgentDeps {
  /** Models by name. */
  readonly profiles: ModelProfiles;
  /** Rules that choose among them, by name. */
  readonly metaProfiles: NonNullable<RouteTaskOptions['metaProfiles']>;
  /** Starts a child of a conversation for its agent. */
  readonly startChild: StartChild;
  /** The way to authorize at MCP servers. Default: servers that want OAuth are refused. */
  readonly auth?: McpAuthorization;
  /** Returns the trace that calls of MCP servers belong to. Default: they belong to none. */
  readonly trace?: McpServersOptions['trace'] | undefined;
}

/** Returns the tools that agents may have here. Their programs and files are those of the sandbox. */
function registryWith(
  { sandbox, outside }: Confining,
  { profiles, metaProfiles, startChild, auth, trace }: AgentDeps,
): { readonly tools: ToolRegistry; readonly mcp: Mcp } {
  const confined = sandbox ? { sandbox } : {};
  const own: ToolRegistry = {
    terminal: () => confinedHere(terminal({ ...confined, outside }), terminal()),
    file_editor: () => confinedHere(fileEditor(confined), fileEditor()),
    task_tracker: () => taskTracker(),
    ...presetsHere(confined),
  };
  const mcp: Mcp = (servers) =>
    mcpServers(servers, { ...confined, ...(auth ? { auth } : {}), ...(trace ? { trace } : {}) });
  const sources: SubAgentsOptions = { tools: own, mcp, profiles, find: subAgentsFor };
  const task = (): ToolFactory => taskTool(sources);
  const delegating: ToolRegistry = {
    task,
    task_tool_set: task,
    delegate: () => delegateTool(sources),
    start_child_conversation: () => startChildTool(startChild),
  };
  const asking: ToolRegistry = {
    ask_oracle: () => askOracleTool({ profiles }),
    ClassifyAndSwitchLLMTool: (params) => routeTaskTool({ profiles, metaProfiles, params }),
  };
  return { tools: { ...own, ...delegating, ...asking }, mcp };
}

/**
 * Resolves with the sub-agents in the files of a conversation's folder and of the user, and those of this program. With an executor the folder is
 * another machine's, and only the user's and the program's are there.
 */
async function subAgentsFor({ workingDirectory, executor }: ToolSession): Promise<readonly AgentDefinition[]> {
  const found = await loadProjectAgentDefinitions(executor ? null : workingDirectory, {
    leaveOut: (error) => process.emitWarning(`left out: ${error.text}`, 'AgentWarning'),
  });
  return [...found, ...specialists];
}

/** Returns a tool that acts in the sandbox, or in the executor of its conversation, which has a sandbox of its own. */
function confinedHere({ name, params, ...here }: ToolFactory, elsewhere: ToolFactory): ToolFactory {
  return { name, params, create: (session) => (session.executor ? elsewhere : here).create(session) };
}

/** Returns the tools of OpenHands' presets, which act as {@link confinedHere} says. */
function presetsHere(confined: { readonly sandbox?: Sandbox }): ToolRegistry {
  const [here, elsewhere] = [presetTools(confined), presetTools()];
  return Object.fromEntries(
    Object.entries(here).map(([name, make]) => [
      name,
      (params) => confinedHere(make(params), elsewhere[name as keyof typeof elsewhere](params)),
    ]),
  );
}

const notCalled = (): Promise<never> => Promise.reject(new Error('not called'));

/** Names of the tools that agents may have here, as clients ask for them. */
export const toolNames: readonly string[] = Object.keys(
  registryWith(
    { sandbox: undefined, outside: 'never' },
    {
      profiles: { list: notCalled, load: notCalled, save: notCalled, delete: notCalled },
      metaProfiles: { names: notCalled, get: notCalled },
      startChild: notCalled,
    },
  ).tools,
);

/** Builds the agents that clients describe, from their models, tools, MCP servers and skills. */
export function agentsWith(
  confining: Confining,
  kept: AgentDeps,
  told: Required<Pick<AgentFactoryOptions, 'leaveOut' | 'unreadable'>>,
): AgentFactory {
  const { profiles } = kept;
  const own = createAgentFactory({ ...registryWith(confining, kept), profiles, ...told });
  return {
    ...own,
    revive: async (description, options) => {
      if (description['kind'] !== 'ACPAgent') return own.revive(description, options);
      // loaded on demand, because few conversations have another program as their agent
      const { acpAgents } = await import('@conv/acp-agent');
      return acpAgents(confining.sandbox ? { sandbox: confining.sandbox } : {}).revive(description, options);
    },
  };
}
