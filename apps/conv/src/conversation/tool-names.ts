import type { PresetToolName } from '@conv/tools';

/** Names of the tools that an agent has unless it is told otherwise. */
export const defaultTools = ['terminal', 'file_editor', 'task_tracker'] as const;

/** Tools by which sub-agents are given tasks. */
export const delegating = ['task', 'delegate'] as const;

/** The tool by which the agent and MCP servers ask the user: a tool of the conversation, not of the agent. */
export const asking = 'ask_user';

/** Names of the tools of OpenHands' presets, which an agent has if it is told so. */
const presets: readonly PresetToolName[] = [
  'glob',
  'grep',
  'read_file',
  'write_file',
  'edit',
  'list_directory',
  'apply_patch',
  'planning_file_editor',
];

/** Names of the tools that an agent of this program may have. */
export const toolNames: readonly string[] = [...defaultTools, ...presets, ...delegating, asking];
