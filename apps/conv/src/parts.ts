/**
 * Building blocks of the commands: the agent, conversations here and on servers, and text for terminals.
 *
 * @packageDocumentation
 */
export { approvalLines } from './conversation/ask-approval.ts';
export { atRest } from './conversation/at-rest.ts';
export { describeAction } from './conversation/call-text.ts';
export { textOf } from './conversation/event-line.ts';
export { ConversationHere, onThisMachine } from './conversation/local-conversations.ts';
export { programAgent } from './conversation/program-agent.ts';
export { fieldsOf, type ReadableConversation } from './conversation/readable-conversation.ts';
export { KEY_VARIABLE } from './conversation/secret-key-variable.ts';
export { riskAnalyzer } from './conversation/safeguards.ts';
export { readConversation, type StoredConversation } from './conversation/stored-conversation.ts';
export type { AgentSettings } from './config/settings.ts';
export { type Failure, failureOf } from './failure.ts';
export { onServers } from './server/remote-conversations.ts';
export { plain, print } from './terminal/output.ts';
export { type Palette, paletteFor } from './terminal/palette.ts';
