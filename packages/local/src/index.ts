/**
 * Conversations whose agent runs in this process: {@link local} makes the runtime for a factory of `@conv/core`.
 *
 * @packageDocumentation
 */
export { local, type LocalRuntime } from './open/local.ts';
export { LocalConversation } from './open/local-conversation.ts';
export type { ForkParts, LocalConversationParts } from './open/local-conversation-parts.ts';
export type { CloseOptions } from './options/close-options.ts';
export type { SafeguardsDeps } from './safeguards/safeguards.ts';
export { LocalWorkspace } from './options/local-workspace.ts';
export type { LocalGoal } from './commands/goal.ts';
export type { LocalForkInput, LocalHistory } from './commands/history.ts';
export type { LocalConversationOptions } from './options/conversation-options.ts';
export { openLocalConversation, type LocalRuntimeOptions } from './open/open-conversation.ts';
export { renewStoredSecrets, type RenewStoredSecretsOptions } from './open/renew-stored-secrets.ts';
export type { Approval, Decision } from './commands/decisions.ts';
export { PastStates, type PastSource } from './past/past-states.ts';
export { readOnlyJournal } from './past/read-only-journal.ts';
export type { LocalSettings } from './commands/settings.ts';
