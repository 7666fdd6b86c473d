/** Names of the tools that an agent has unless it is told otherwise. */
export const defaultTools = ['terminal', 'file_editor', 'task_tracker'] as const;

/** Tools by which sub-agents are given tasks. */
export const delegating = ['task', 'delegate'] as const;

/** Names of the tools that an agent of this program may have. */
export const toolNames: readonly string[] = [...defaultTools, ...delegating];
