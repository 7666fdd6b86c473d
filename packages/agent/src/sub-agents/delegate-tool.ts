import { errorText } from '@conv/core';
import { defineTool, text, type Tool, type ToolFactory, type ToolSession } from '@conv/core/tool';
import { z } from 'zod';
import {
  checkSubAgentsOptions,
  type Delegated,
  GENERAL_PURPOSE,
  SubAgents,
  type SubAgentsOptions,
} from './sub-agents.ts';
import { rememberSubAgents } from '../tools/sent-sub-agents.ts';
import { statusOf, textOf } from './task-text.ts';

/** Maximum number of tasks in one call. */
const MOST = 16;

const ABOUT = `Give several tasks to sub-agents at once, and wait until all have ended.

They work at the same time, each in a conversation of its own: none knows this one or the others, so each prompt has to say everything that is needed, and what the answer has to hold. Have no two of them change the same files. You read one result for each task, in their order; a task that fails is nothing to the others. With \`resume\` and the id of an earlier task its sub-agent goes on with all that it knows.

Sub-agents:
`;

/**
 * A tool by which an agent has others do several tasks at the same time, up to 16 in one call; it travels as an MCP tool. Each is done
 * as by {@link taskTool}, and each has its result, in their order. The call is an error only when no task came to its end. Throws
 * as {@link taskTool} does.
 */
export function delegateTool(options: SubAgentsOptions = {}): ToolFactory {
  checkSubAgentsOptions('delegateTool', options);
  const subAgents = new SubAgents(options);
  const tool: ToolFactory = {
    name: 'delegate',
    params: {},
    create: async (session) => createDelegate(await subAgents.in(session), session),
  };
  return rememberSubAgents(tool, (callerTools) => subAgents.sent(callerTools));
}

function createDelegate(subAgents: SubAgents, session: ToolSession): Tool {
  const task = z.object({
    prompt: z.string().min(1).describe('The task, with everything that the sub-agent has to know.'),
    subagent_type: z.enum(subAgents.accepted).default(GENERAL_PURPOSE).describe('The sub-agent that is to do it.'),
    description: z.string().max(200).optional().describe('The task in three to five words, for the people who watch.'),
    resume: z.string().optional().describe('The id of an earlier task to continue.'),
    max_turns: z.number().int().min(1).optional().describe('The maximum number of answers of its model.'),
  });
  return defineTool({
    name: 'delegate',
    description: ABOUT + subAgents.list,
    input: z.object({ tasks: z.array(task).min(1).max(MOST).describe('The tasks.') }),
    annotations: { title: 'delegate' },
    resources: () => [],
    execute: async ({ tasks }, call) => {
      const ends = await Promise.allSettled(
        tasks.map(({ prompt, subagent_type: agent, description: title, resume, max_turns: maxTurns }) =>
          subAgents.delegate({ agent, prompt, title, resume, maxTurns }, session, call),
        ),
      );
      call.signal.throwIfAborted();
      return {
        content: ends.flatMap((end, index) =>
          text(`${index === 0 ? '' : '\n\n'}Task ${index + 1} of ${ends.length}\n${said(end)}`),
        ),
        isError: !ends.some((end) => end.status === 'fulfilled' && end.value.result.status === 'finished'),
      };
    },
  });
}

function said(end: PromiseSettledResult<Delegated>): string {
  if (end.status === 'fulfilled') {
    const { agent, result } = end.value;
    return `Task ID: ${result.id}\nSubagent: ${agent}\nStatus: ${statusOf(result)}\n${textOf(result)}`;
  }
  const reason: unknown = end.reason;
  return `Status: error\nIt could not be started: ${errorText(reason)}`;
}
