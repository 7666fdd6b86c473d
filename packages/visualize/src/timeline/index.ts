/**
 * Events as blocks for readers, independent of their presentation. {@link timeline} makes the blocks; terminals and pages show
 * them.
 *
 * @packageDocumentation
 */
export { branches, type Branch } from './branches.ts';
export type { CallContent, FileChange, TaskItem } from './call-content.ts';
export { type DiffLine, fileDiff, type FileDiff } from './file-diff.ts';
export { argumentsIn, ownArguments } from './own-arguments.ts';
export type { CallOutcome, ResultContent } from './result-content.ts';
export { timeline } from './timeline.ts';
export type {
  CallBlock,
  CondensationBlock,
  ErrorBlock,
  HookBlock,
  MessageBlock,
  NoticeBlock,
  NumberedEvent,
  TimelineBlock,
} from './timeline-block.ts';
