import { errorText } from '@conv/core';
import { toolWires, defineTool, text, ToolError, type Tool, type ToolFactory, type ToolSession } from '@conv/core/tool';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';

/** A task for a child conversation that works by itself. Members have their names on the wire. */
export interface ChildStart {
  readonly task: string;
  /** Null: a title that follows from the task. */
  readonly title: string | null;
  /** A git worktree of its own where that is possible, or the folder of its parent. */
  readonly isolation: 'worktree' | 'shared';
}

/** A child conversation that was started. Members have their names on the wire. */
export interface StartedChild {
  readonly conversation_id: string;
  readonly parent_conversation_id: string;
  readonly status: string;
  readonly title: string | null;
  /** An address at which people see the child; null where none is known. */
  readonly url: string | null;
  readonly workspace: string | null;
  readonly isolation: 'worktree' | 'shared' | null;
}

/** The name of the tool that starts a child conversation. */
export const START_CHILD = 'start_child_conversation';

/** Starts a child of a conversation. Resolves when its task is durable. A rejection is the result of the call. */
export type StartChild = (parentId: string, child: ChildStart) => Promise<StartedChild>;

const ABOUT = `Start a child conversation that works on a task by itself, with an agent and a history of its own. You do not wait for it and you do not read its answer: people follow it in its own conversation.

It has the configuration of this conversation and knows nothing of its history, so \`task\` has to say everything: the goal, the paths, the limits, and what is to be delivered. With \`isolation: worktree\`, the default, it gets a git worktree and a branch of its own if the folder is in a repository. The worktree begins at the default branch, without the changes of this conversation; use \`shared\` if the child has to see them.

Tell the user the id of the child. Call this once for each task: another call starts another child.`;

/**
 * Creates a tool by which an agent starts a conversation that belongs to its own and works by itself, with the wire kinds
 * StartChildConversationTool, StartChildConversationAction and StartChildConversationObservation. `start` is the server's: it decides on
 * limits, and the child is as strict as its parent. To wait for the answer of a sub-agent, use {@link taskTool}.
 *
 * @example
 * ```ts
 * import { createAgent, modelFromEnvironment, startChildTool, type StartChild } from '@conv/agent';
 *
 * export const agentOf = (start: StartChild) =>
 *   createAgent({ model: modelFromEnvironment(), tools: [startChildTool(start)] });
 * ```
 */
export function startChildTool(start: StartChild): ToolFactory {
  if (typeof start !== 'function')
    throw new AgentError('INVALID_OPTION', 'startChildTool: expected a function that starts a child conversation');
  return { name: START_CHILD, params: {}, create: (session) => createStart(start, session) };
}

function createStart(start: StartChild, session: ToolSession): Tool {
  const input = z.object({
    task: z.string().min(1).describe('The task, with everything that the child has to know.'),
    title: z.string().max(200).nullable().default(null).describe('A short title of the child conversation.'),
    isolation: z
      .enum(['worktree', 'shared'])
      .default('worktree')
      .describe('`worktree`: a git worktree of its own. `shared`: the folder of this conversation.'),
  });
  return defineTool({
    name: START_CHILD,
    description: ABOUT,
    input,
    annotations: { title: START_CHILD, destructive: false },
    resources: () => [],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: 'StartChildConversationTool',
        action: 'StartChildConversationAction',
        observation: 'StartChildConversationObservation',
      }),
    execute: async (child) => {
      const started = await start(session.conversationId, child).catch((error: unknown) => {
        throw new ToolError('FAILED', `Child conversation launch failed: ${errorText(error)}`, { cause: error });
      });
      const { conversation_id: id, status } = started;
      return {
        content: text(`Started child conversation ${id} (status: ${status}).\n${JSON.stringify(started, null, 2)}`),
        fields: { ...started },
      };
    },
  });
}
