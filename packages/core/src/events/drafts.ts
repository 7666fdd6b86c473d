/**
 * Makes drafts of events. `userMessage` and `agentMessage` make the messages of people and agents.
 *
 * @module
 */
export {
  condensation,
  condensationRequest,
  conversationError,
  hookExecution,
  interrupt,
  pause,
  systemPrompt,
} from './conversation-drafts.ts';
export { environmentMessage } from './message-drafts.ts';
export { action, agentError, observation, userReject } from './tool-call-drafts.ts';
