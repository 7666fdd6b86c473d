/**
 * Finds loops in a conversation with an agent, event by event, and says which.
 *
 * @packageDocumentation
 */
export type { Allowance } from './allowances.ts';
export { createStuckDetector } from './create-stuck-detector.ts';
export { foldEvents, isStuck } from './fold-events.ts';
export type { CallStep, CondensationStep, EventPlace, MessageStep, Step } from './step.ts';
export { isStuckError, StuckError, type StuckErrorCode } from './stuck-error.ts';
export { DEFAULT_THRESHOLDS, type StuckDetectorOptions, type StuckThresholds } from './stuck-options.ts';
export type { PatternMatch, StuckPattern } from './stuck-pattern.ts';
