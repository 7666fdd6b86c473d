/**
 * Makes states from commits: the parts of `foldJournal`, for code that has the commits at hand.
 *
 * @module
 */
export { applyPatch } from '../../contract/state/patch.ts';
export { foldCommit } from './fold-journal.ts';
export { forkPatch } from './damage-record.ts';
export { applyCommit, emptyProjection as empty } from './projection.ts';
export { readState } from './read-state.ts';
export { toSnapshot } from './snapshot.ts';
export { strictSettings } from './strict-settings.ts';
