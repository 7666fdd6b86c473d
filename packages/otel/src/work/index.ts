/**
 * Tells observers what conversations do, from the commits that a store gets. Loads nothing of OpenTelemetry.
 *
 * @packageDocumentation
 */
export type { CommitObserver, ToolCall, ToolOutcome, WorkingConversation } from './commit-observer.ts';
export { watchedStore } from './watched-store.ts';
