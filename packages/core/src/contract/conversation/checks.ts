/**
 * Checks what callers give to conversations and stores, so that all runtimes and all stores refuse the same values in the same words.
 *
 * @module
 */
export { checkEventId as eventId, invalidOption as invalid, wrongValue } from '../settings-input/invalid-option.ts';
export { closestName } from '../settings-input/closest-name.ts';
export { checkListQuery as listQuery, checkOpenOptions as openOptions } from '../store/check-options.ts';
export { checkFreeToolName as freeToolName, checkToolName as toolName } from '../tool/tool-name.ts';
export { checkCallOptions as callOptions, checkDecision as decision, checkEdits as edits } from './call-options.ts';
export {
  checkCommitSpan as commitSpan,
  checkOutlineOptions as outlineOptions,
  checkViewPage as viewPage,
  pastPoint,
} from './check-past-options.ts';
export {
  checkLimitNames as limitNames,
  checkLimits as limits,
  checkMaxIterations as maxIterations,
  checkTags as tags,
  checkTitle as title,
  MAX_TITLE_LENGTH as maxTitleLength,
} from './check-settings.ts';
export { checkSharedOptions as sharedOptions } from './check-shared-options.ts';
export { messageParts } from './message-input.ts';
export { SHARED_OPTIONS as sharedNames } from './shared-options.ts';
