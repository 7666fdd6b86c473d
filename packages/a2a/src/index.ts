/**
 * Durable conversations for other agents: the agent side of A2A 1.0, with tasks that are places in a log and resume from it.
 *
 * @packageDocumentation
 */
export { createA2AHandler } from './a2a-handler.ts';
export type { TaskIds } from './message-parts.ts';
export { callMessages, readTask } from './read-task.ts';
export type { A2AHandlerOptions, AgentCardInput, ContextRequest } from './handler-options.ts';
export type { TaskNotifier } from './task-notifier.ts';
