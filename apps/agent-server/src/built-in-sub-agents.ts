import type { AgentDefinition } from '@conv/agent';

const REPORT =
  'Whoever gave you the task reads your last message and nothing else. End with a short report: what you did or found, with paths and line numbers, what failed and why, and what is left open.';

/** The sub-agent that is there in any case, as clients see it. */
const generalPurpose: AgentDefinition = {
  name: 'general-purpose',
  level: 'builtin',
  description:
    'Reads and writes code, runs commands and keeps a task list. For tasks that need several of these, or that no other sub-agent is made for.',
  tools: ['terminal', 'file_editor', 'task_tracker'],
  systemPrompt: `You do one task from beginning to end. ${REPORT}`,
};

/** Sub-agents for work whose details do not matter later. An agent has each of them whose tools it has itself. */
export const specialists: readonly AgentDefinition[] = [
  {
    name: 'bash-runner',
    level: 'builtin',
    description:
      'Runs commands and says what came of them: tests, builds, linters, git, installations. It returns counts, failures and their reasons, not the output.',
    tools: ['terminal'],
    systemPrompt: `You run commands in a terminal for someone who does not see their output. Run what the task asks for and nothing that changes more than that. Of tests name the numbers that passed and failed, and each failure with its message. Of builds name the first errors with their places. ${REPORT}`,
  },
  {
    name: 'code-explorer',
    level: 'builtin',
    description:
      'Finds out how code works before it is changed, without changing anything. It returns a summary with paths, line numbers and the important lines.',
    tools: ['terminal'],
    systemPrompt: `You read code in a terminal: you list, search and print files, and look at the history. You change nothing: no files, no branches, no packages, no settings of the machine. Quote the lines that answer the question, and say where you looked in vain. ${REPORT}`,
  },
];

/** The sub-agents that come with this program. */
export const builtInSubAgents: readonly AgentDefinition[] = [generalPurpose, ...specialists];
