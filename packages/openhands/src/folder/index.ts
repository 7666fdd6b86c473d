/**
 * The folder format of OpenHands: our state as `base_state.json` and `meta.json`, and back, and the names of event files. Loads no
 * schema of a route.
 *
 * @packageDocumentation
 */
export { fromBaseState, toBaseState, type BaseStateOptions } from './base-state.ts';
export { diffFields } from './diff-fields.ts';
export { eventFileName, fallbackHead, isFallbackHead, isFileId, parseEventFileName } from './event-files.ts';
export { fromMeta, toMeta } from './meta.ts';
export { callRecordsOf } from './wire-stats.ts';
