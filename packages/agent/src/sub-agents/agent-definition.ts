import type { Agent } from '@conv/core';
import type { JsonObject } from '@conv/core/events';

/** When a person is asked before a sub-agent's tools run; what its caller's conversation asks for holds, too. */
export type PermissionMode = 'always_confirm' | 'confirm_risky' | 'never_confirm';

/** An agent that another one can give tasks to. */
export interface AgentDefinition {
  /** The name of the sub-agent: one line of up to 128 characters. */
  readonly name: string;
  /** The purpose of the sub-agent, for the model that chooses. */
  readonly description: string;
  /** Said behind the prompt of the agent that calls it. Default nothing. */
  readonly systemPrompt?: string;
  /**
   * Names of its tools, among those of the agent that calls it and those of the registry; built-in ones it always has. Default: all
   * of the caller's, those of MCP servers included, but `task` and `delegate`.
   */
  readonly tools?: readonly string[];
  /** Names of its skills, among those of the agent that calls it. Default none. */
  readonly skills?: readonly string[];
  /** The name of a model profile. Default `inherit`: the model that the agent that calls it has by then. */
  readonly model?: string;
  /** Default: as its caller's conversation. */
  readonly permissionMode?: PermissionMode;
  /** Model responses per task; its caller's limit holds, too. */
  readonly maxIterations?: number;
  /** US dollars per task, above 0; its caller's limit holds, too. */
  readonly maxBudget?: number;
  /** A configuration of hooks, for callers whose conversation has none: else that one's hold. */
  readonly hooks?: JsonObject;
  /** MCP servers by name, instead of the caller's. Default none but those that come with the caller's tools. */
  readonly mcpServers?: Readonly<Record<string, object>>;
  /** The agent as it is, instead of one that is like its caller. Then tools, skills, model, prompt and servers are its own. */
  readonly agent?: Agent;
  /** The file that it was read from. */
  readonly source?: string;
}
