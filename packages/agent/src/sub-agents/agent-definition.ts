import type { Agent, JsonObject, StoredHooks } from '@conv/core';

/** Decides when a person must approve the calls of a sub-agent; the policy of its caller's conversation holds, too. */
export type PermissionMode = 'always_confirm' | 'confirm_risky' | 'never_confirm';

/** An agent that another agent can give tasks to. */
export interface AgentDefinition {
  /** The name of the sub-agent: one line of up to 128 characters. */
  readonly name: string;
  /** The purpose of the sub-agent, for the model that chooses. */
  readonly description: string;
  /** Text behind the prompt of the calling agent. Default none. */
  readonly systemPrompt?: string;
  /**
   * Names of its tools, among the tools of the calling agent and of the registry. It always has the built-in tools.
   * Default: all tools of the calling agent except `task` and `delegate`, those of MCP servers included.
   */
  readonly tools?: readonly string[];
  /** Names of its skills, among the skills of the calling agent. Default none. */
  readonly skills?: readonly string[];
  /** The name of a model profile. Default `inherit`: the model that the calling agent has when it gives the task. */
  readonly model?: string;
  /** The confirmation policy. Default: as in its caller's conversation. */
  readonly permissionMode?: PermissionMode;
  /** The most model responses per task; its caller's limit holds, too. */
  readonly maxIterations?: number;
  /** The most US dollars per task, above 0; its caller's limit holds, too. */
  readonly maxBudget?: number;
  /** A configuration of hooks, for callers whose conversation has none; otherwise the caller's hooks hold. */
  readonly hooks?: StoredHooks;
  /**
   * MCP servers by name, instead of the caller's; `inherit`: the caller's servers, beside the named tools too. Default: only
   * the servers that come with the caller's tools.
   */
  readonly mcpServers?: Readonly<Record<string, object>> | 'inherit';
  /** The description of a condenser, which asks the model of the sub-agent. Default: the condenser of the calling agent. */
  readonly condenser?: JsonObject;
  /**
   * A complete agent, instead of an agent like its caller. Then tools, skills, model, prompt and servers are its own.
   */
  readonly agent?: Agent;
  /** The file that the definition was read from. */
  readonly source?: string;
  /** The place in which it was found: in a project, with its user, or in the program. */
  readonly level?: 'project' | 'user' | 'builtin';
  /** Members of its file that have no effect here, such as `color`, with their names on the wire. */
  readonly extra?: JsonObject;
}
