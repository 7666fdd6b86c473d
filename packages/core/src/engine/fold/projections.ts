/**
 * Makes states from commits, and walks the branches of a log: the parts of `foldJournal`, for code that has the commits at hand.
 *
 * @module
 */
export { applyPatch } from '../../contract/state/patch.ts';
export { pendingCalls } from './branch.ts';
export { foldCommit } from './fold-journal.ts';
export { forkPatch } from './damage-record.ts';
export { applyCommit, emptyProjection as empty } from './projection.ts';
export { readState, startingPoint } from './read-state.ts';
export { lengthOf } from './recent-events.ts';
export { toSnapshot } from './snapshot.ts';
export { totalMetrics } from './stats.ts';
export { strictSettings } from './strict-settings.ts';
export { eventsAt, parentOf, pathTo } from './tree.ts';
