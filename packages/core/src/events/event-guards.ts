/**
 * Tells groups of events apart. `isEvent` tells one kind from all others.
 *
 * @module
 */
export { isEventError } from './event-error.ts';
export { isFinishCall, isFinishResult } from './finish.ts';
export { isKnownEvent, isLlmConvertible, isObservationLike, isStoredEvent, movesHead } from './guards.ts';
export { unreadableReason } from './unreadable.ts';
