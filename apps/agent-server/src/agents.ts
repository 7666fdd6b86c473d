import {
  type AgentFactoryOptions,
  createAgentFactory,
  delegateTool,
  type ModelProfiles,
  type StartChild,
  startChildTool,
  type SubAgentsOptions,
  taskTool,
  type ToolRegistry,
} from '@conv/agent';
import type { AgentFactory } from '@conv/core';
import type { Sandbox, ToolFactory } from '@conv/core/tool';
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

type Mcp = NonNullable<SubAgentsOptions['mcp']>;

/** The confinement of the tools of agents. */
export interface Confining {
  readonly sandbox: Sandbox | undefined;
  /** `ask` lets an agent ask a person about a command that the sandbox refuses. */
  readonly outside: NonNullable<TerminalOptions['outside']>;
}

/** Parts of the server that agents use. */
export interface AgentDeps {
  /** Starts a child of a conversation for its agent. */
  readonly startChild: StartChild;
  /** The way to authorize at MCP servers. Default: servers that want OAuth are refused. */
  readonly auth?: McpAuthorization;
  /** Returns the trace that calls of MCP servers belong to. Default: they belong to none. */
  readonly trace?: McpServersOptions['trace'] | undefined;
}

/** Returns the tools that agents may have here. Their programs and files are those of the sandbox. */
function registryWith({
  sandbox,
  outside,
  startChild,
  auth,
  trace,
  profiles,
}: Confining & AgentDeps & { readonly profiles?: ModelProfiles }): {
  readonly tools: ToolRegistry;
  readonly mcp: Mcp;
} {
  const confined = sandbox ? { sandbox } : {};
  const own: ToolRegistry = {
    terminal: () => confinedHere(terminal({ ...confined, outside }), terminal()),
    file_editor: () => confinedHere(fileEditor(confined), fileEditor()),
    task_tracker: () => taskTracker(),
    ...presetsHere(confined),
  };
  const mcp: Mcp = (servers) =>
    mcpServers(servers, { ...confined, ...(auth ? { auth } : {}), ...(trace ? { trace } : {}) });
  const sources: SubAgentsOptions = { tools: own, mcp, ...(profiles ? { profiles } : {}) };
  const task = (): ToolFactory => taskTool(sources);
  const delegating: ToolRegistry = {
    task,
    task_tool_set: task,
    delegate: () => delegateTool(sources),
    start_child_conversation: () => startChildTool(startChild),
  };
  return { tools: { ...own, ...delegating }, mcp };
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

/** Names of the tools that agents may have here, as clients ask for them. */
export const toolNames: readonly string[] = Object.keys(
  registryWith({ sandbox: undefined, outside: 'never', startChild: () => Promise.reject(new Error('not called')) })
    .tools,
);

/** Builds the agents that clients describe, from their models, tools, MCP servers and skills. */
export function agentsWith(
  profiles: ModelProfiles,
  confining: Confining & AgentDeps,
  told: Required<Pick<AgentFactoryOptions, 'leaveOut' | 'unreadable'>>,
): AgentFactory {
  return createAgentFactory({ ...registryWith({ ...confining, profiles }), profiles, ...told });
}
