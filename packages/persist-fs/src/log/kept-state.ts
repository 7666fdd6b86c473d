import type { JsonObject, StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/openhands/folder';
import { toCommitSeq, type KeptState } from '@conv/core/store';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { validMark, validMeta } from '../mirror/mirror-state.ts';
import { ownBaseState } from './own-state-files.ts';

/** Returns the state in `base_state.json` and `meta.json`, if they are whole, ours and of this conversation. */
export function keptStates(disk: Disk, path: ConversationPath): readonly KeptState[] {
  const base = ownBaseState(disk, path);
  const mark = base && validMark(base);
  if (!base || !mark) return [];
  const meta = readJsonObject(disk, path.meta);
  return [{ seq: toCommitSeq(mark.seq), fields: fieldsIn(base, meta && validMeta(meta, mark) ? meta : undefined) }];
}

/** Returns the fields in files that we wrote. A HEAD that is not named follows from the events. */
export function fieldsIn(base: JsonObject, meta: JsonObject | undefined): Partial<StateFields> {
  const { extra, leafEventId, ...ofBase } = fromBaseState(base);
  const { extra: extraOfMeta, ...ofMeta } = meta ? fromMeta(meta) : {};
  return {
    ...ofBase,
    ...ofMeta,
    ...validMark(base)?.limits,
    ...(leafEventId ? { leafEventId } : {}),
    ...(meta ? { extra: { baseState: extra?.baseState ?? {}, meta: extraOfMeta?.meta ?? {} } } : {}),
  };
}
