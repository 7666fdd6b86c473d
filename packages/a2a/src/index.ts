/**
 * Durable conversations for other agents: the agent side of A2A 1.0, with tasks that are places in a log and resume from it.
 *
 * @packageDocumentation
 */
export {
  createA2AHandler,
  type A2AHandlerOptions,
  type AgentCardInput,
  type ContextRequest,
  type TaskNotifier,
} from './a2a-handler.ts';
