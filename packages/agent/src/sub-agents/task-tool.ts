import { toolWires, defineTool, text, type Tool, type ToolFactory, type ToolSession } from '@conv/core/tool';
import { z } from 'zod';
import { checkSubAgentsOptions, GENERAL_PURPOSE, SubAgents, type SubAgentsOptions } from './sub-agents.ts';
import { rememberSubAgents } from '../tools/sent-sub-agents.ts';
import { statusOf, textOf } from './task-text.ts';

const ABOUT = `Give a task to a sub-agent, and wait for its answer.

It works in a conversation of its own: it knows nothing of this one, so the prompt has to say everything that it needs, and what its answer has to hold. You read its answer alone. Use it for work that would fill this conversation with what nobody needs later, such as a wide search, or that can be done on its own.

Calls in one answer may run at the same time. With \`resume\` and the id of an earlier task its sub-agent continues with all that it knows.

Sub-agents:
`;

/**
 * Creates a tool by which an agent gives tasks to sub-agents, one for each call, with the wire kinds TaskTool,
 * TaskAction and TaskObservation. Each task is a conversation that belongs to the calling one and is never less strict
 * (P10); its id is the id of the task. A task that does not finish is an error with the reason, and its work is kept.
 * Actions in it that need approval wait for a person. The tool needs a runtime with child conversations, such as
 * `@conv/local`.
 *
 * Throws {@link AgentError} `INVALID_OPTION` for a definition that can never be built. A definition with an unknown
 * tool or skill fails the call that needs it.
 *
 * @example
 * ```ts
 * import { createAgent, modelFromEnvironment, taskTool } from '@conv/agent';
 *
 * const reviewer = {
 *   name: 'reviewer',
 *   description: 'Reads a change and says what is wrong with it.',
 *   systemPrompt: 'You review code. Say what is wrong and where, and nothing else.',
 *   permissionMode: 'always_confirm',
 * } as const;
 *
 * export const agent = createAgent({ model: modelFromEnvironment(), tools: [taskTool({ agents: [reviewer] })] });
 * ```
 */
export function taskTool(options: SubAgentsOptions = {}): ToolFactory {
  checkSubAgentsOptions('taskTool', options);
  const subAgents = new SubAgents(options);
  const tool: ToolFactory = {
    name: 'task',
    params: {},
    create: async (session) => createTask(await subAgents.in(session), session),
  };
  return rememberSubAgents(tool, (callerTools) => subAgents.sent(callerTools));
}

function createTask(subAgents: SubAgents, session: ToolSession): Tool {
  const input = z.object({
    description: z.string().max(200).optional().describe('The task in three to five words, for the people who watch.'),
    prompt: z.string().min(1).describe('The task, with everything that the sub-agent has to know.'),
    subagent_type: z.enum(subAgents.accepted).default(GENERAL_PURPOSE).describe('The sub-agent that is to do it.'),
    resume: z.string().optional().describe('The id of an earlier task to continue.'),
    max_turns: z.number().int().min(1).optional().describe('The maximum number of answers of its model.'),
  });
  return defineTool({
    name: 'task',
    description: ABOUT + subAgents.list,
    input,
    annotations: { title: 'task' },
    // a sub-agent shares its folder as a second agent in the same folder would, so calls need no exclusive resource
    resources: () => [],
    wire: (tool) =>
      toolWires.native(tool, { definition: 'TaskTool', action: 'TaskAction', observation: 'TaskObservation' }),
    execute: async ({ prompt, subagent_type: agent, description: title, resume, max_turns: maxTurns }, call) => {
      const done = await subAgents.delegate({ agent, prompt, title, resume, maxTurns }, session, call);
      const { result } = done;
      return {
        content: text(textOf(result)),
        isError: result.status !== 'finished',
        fields: { task_id: result.id, subagent: done.agent, status: statusOf(result) },
      };
    },
  });
}
