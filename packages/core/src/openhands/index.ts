/**
 * The folder format of OpenHands: our state as `base_state.json` and `meta.json`, and back; names of event files; where its
 * descriptions hold credentials among other text.
 *
 * @packageDocumentation
 */
import '../needs-node.ts';

export { fromBaseState, toBaseState, type BaseStateOptions } from './base-state.ts';
export { diffFields } from './diff-fields.ts';
export { eventFileName, fallbackHead, isFallbackHead, isFileId, parseEventFileName } from './event-files.ts';
export { fromMeta, toMeta } from './meta.ts';
export { mapCredentials, mapPasswords, type ConvertCredential, type CredentialSearch } from './server-credentials.ts';
export { callRecordsOf, fromWireStats, toWireStats } from './wire-stats.ts';
