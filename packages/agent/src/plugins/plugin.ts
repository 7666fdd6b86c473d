import type { JsonObject, StoredHooks } from '@conv/core';
import type { Skill } from '../skills/skill.ts';
import type { AgentDefinition } from '../sub-agents/agent-definition.ts';

/** A folder that brings skills, commands, hooks, MCP servers and sub-agents to an agent. */
export interface Plugin {
  /** The name of its manifest, or of its folder. */
  readonly name: string;
  /** The version of its manifest. Default `1.0.0`. */
  readonly version: string;
  readonly description: string;
  /** The manifest as it stands in its file; absent without one. */
  readonly manifest?: JsonObject;
  /** The absolute path of the folder. */
  readonly directory: string;
  /** Its skills. A command is a skill `PLUGIN:COMMAND` that a message with `/PLUGIN:COMMAND` calls for. */
  readonly skills: readonly Skill[];
  /** Its hooks, in the form that conversations store. Absent if it has none. */
  readonly hooks?: StoredHooks;
  /** Its MCP servers by name, in the form that agents are described in. Placeholders such as `${TOKEN}` stand in them. */
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  readonly agents: readonly AgentDefinition[];
  /** The reasons why parts of it are left out, each with the path of the file. */
  readonly problems: readonly string[];
}
