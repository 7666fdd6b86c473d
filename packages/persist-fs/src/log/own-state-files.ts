import type { JsonObject } from '@conv/core';
import { toConversationId } from '@conv/core/store';
import { epochPath, listEpochs, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { withFile } from '../disk/whole-file.ts';
import { isDamaged, validMark } from '../mirror/mirror-state.ts';
import { decodeCommit } from './commit-frame.ts';
import { scanFrames } from './scan.ts';

/** Returns the content of `base_state.json`, unless it is the file of another conversation (decision 53). */
export function ownBaseState(disk: Disk, path: ConversationPath): JsonObject | undefined {
  const found = readJsonObject(disk, path.baseState);
  return found && otherConversation(disk, path, found, isDamaged) === undefined ? found : undefined;
}

/**
 * Returns the id of the conversation that a whole `base_state.json` or `meta.json` belongs to, if that is not the
 * conversation of this folder. A folder that was copied as a whole has another name than its log and its files, which
 * belong together: the log decides, and the name only if the log does not say its id.
 */
export function otherConversation(
  disk: Disk,
  path: ConversationPath,
  file: JsonObject,
  isHarmed: (file: JsonObject) => boolean,
): string | undefined {
  const other = strangeId(path, file);
  if (other === undefined || isHarmed(file)) return undefined;
  return loggedId(disk, path) === other ? undefined : other;
}

/** The id of another conversation that a `base_state.json` or `meta.json` names; `undefined` if it names this one or none. */
export function strangeId({ id }: ConversationPath, { id: named }: JsonObject): string | undefined {
  const other = idIn(named);
  return other === id ? undefined : other;
}

/** Returns the ids of conversations that the file of an epoch states, in order. */
export function statedIds(disk: Disk, file: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const frame of scanFrames(disk, file, 0, disk.size(file))) {
    if (frame.header === undefined || frame.header.kind !== 'commit') continue;
    if (!frame.payload.includes('"patch"')) continue;
    const id = idIn(decodeCommit(frame).patch?.set?.id);
    if (id === undefined) continue;
    // The last statement counts, so it stands last.
    ids.delete(id);
    ids.add(id);
  }
  return ids;
}

/** True if `base_state.json` is whole, was written by us, and has the id of the folder. */
export function isBaseOf(disk: Disk, path: ConversationPath): boolean {
  const base = readJsonObject(disk, path.baseState);
  return base !== undefined && validMark(base) !== undefined && idIn(base['id']) === path.id;
}

/** Returns the id that the log states last. Reads the log, so it is called only for a file that names another id. */
function loggedId(disk: Disk, path: ConversationPath): string | undefined {
  for (const epoch of listEpochs(disk, path)) {
    const found = withFile(disk, epochPath(path, epoch), (file) => [...statedIds(disk, file)].at(-1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a stored id as a dashed UUID; `undefined` for anything else. */
export function idIn(named: unknown): string | undefined {
  if (typeof named !== 'string') return undefined;
  try {
    return toConversationId(named);
  } catch {
    return undefined;
  }
}
