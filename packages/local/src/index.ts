/**
 * Conversations whose agent runs in this process: {@link local} makes the runtime for a factory of `@conv/core`.
 *
 * @packageDocumentation
 */
export { local, type LocalRuntime } from './local.ts';
export { LocalConversation } from './local-conversation.ts';
export type { ForkParts, LocalConversationParts } from './local-conversation-parts.ts';
export type { CloseOptions } from './close-options.ts';
export type { ControlParts } from './controls.ts';
export { LocalWorkspace } from './local-workspace.ts';
export type { LocalGoal } from './goal.ts';
export type { LocalForkInput, LocalHistory } from './history.ts';
export type { LocalConversationOptions } from './conversation-options.ts';
export { openLocalConversation, type LocalRuntimeOptions } from './open-conversation.ts';
export type { LocalSettings } from './settings.ts';
