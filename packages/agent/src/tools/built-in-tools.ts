import { toolWires, defineTool, text, type Tool } from '@conv/core/tool';
import { z } from 'zod';

/** Ends the task; its message is the final answer. */
export const finishTool: Tool = defineTool({
  name: 'finish',
  description: `Call this once the task is done, or when nothing more can be done about it.
The message is your final answer: say what you did and what came of it, what is left open and why, and what the user should look at or decide.`,
  input: z.object({ message: z.string().describe('The final answer to the user.') }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  wire: (tool) =>
    toolWires.native(tool, { definition: 'FinishTool', action: 'FinishAction', observation: 'FinishObservation' }),
  execute: ({ message }) => text(message),
});

/** Notes a thought in the history; has no other effect. */
export const thinkTool: Tool = defineTool({
  name: 'think',
  description: `Write down a thought. It changes nothing and reveals nothing new; it is a place to plan, to weigh causes of a failure, or to note what a later step must not forget.`,
  input: z.object({ thought: z.string().describe('The thought.') }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  wire: (tool) =>
    toolWires.native(tool, { definition: 'ThinkTool', action: 'ThinkAction', observation: 'ThinkObservation' }),
  execute: () => text('Noted.'),
});

/** The tools that every agent has unless told otherwise, by the names that the wire's agent object uses. */
export const builtInTools: Readonly<Record<BuiltInTool, Tool>> = { FinishTool: finishTool, ThinkTool: thinkTool };

/** Names of the built-in tools in the wire's agent object. */
export type BuiltInTool = 'FinishTool' | 'ThinkTool';

/** True if `name` is the wire name of a built-in tool. */
export function isBuiltInTool(name: unknown): name is BuiltInTool {
  return name === 'FinishTool' || name === 'ThinkTool';
}
