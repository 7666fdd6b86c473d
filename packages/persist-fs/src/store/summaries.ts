import { loadJsonObject } from '../disk/json-file.ts';
import { join } from 'node:path';
import { errorText, initialFields, type JsonObject, type StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/openhands/folder';
import { conversationSummary, toConversationId, type ConversationSummary } from '@conv/core/store';
import { newestEpoch } from '../log/chain.ts';
import { pathsIn } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { errorCode } from '../disk/from-fs-error.ts';
import { assertOfConversation, strangeId } from '../foreign/foreign-id.ts';
import { isThere } from './is-conversation.ts';
import { validMark } from '../mirror/mirror-state.ts';

/** The summary of a conversation for lists, and whether it is worth keeping. */
export interface FoundSummary {
  readonly summary: ConversationSummary;
  /** True if it was made of the small files alone, so that it holds as long as they do not change. */
  readonly kept: boolean;
}

/**
 * Reads the summary of the conversation in the folder `name`, from its small files alone. Damaged fields keep their
 * defaults. Files that cannot be read are named in `unreadable`. Resolves with `undefined` if there is no conversation.
 * Rejects if this process cannot open files at all.
 */
export async function readSummary(disk: Disk, root: string, name: string): Promise<FoundSummary | undefined> {
  const path = pathsIn(root, toConversationId(name), join(root, name));
  const reasons: string[] = [];
  const attempt = async <Value>(read: () => Value | Promise<Value>): Promise<Value | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (isOurs(error)) throw error;
      reasons.push(errorText(error));
      return undefined;
    }
  };
  const folder = await attempt(() => disk.stat(path.folder));
  if (reasons.length === 0 && folder?.kind !== 'folder') return undefined;
  const [meta, base] = await Promise.all([
    attempt(() => loadJsonObject(disk, path.meta)),
    attempt(() => loadJsonObject(disk, path.baseState)),
  ]);
  const isEmpty = !meta && !base && reasons.length === 0;
  await attempt(() => {
    // A conversation with a log has its id from there (decision 53).
    if (base && strangeId(path, base) !== undefined && !newestEpoch(disk, path)) assertOfConversation(path, base);
  });
  if (isEmpty && (await attempt(() => isThere(disk, path))) === false) return undefined;
  const summary = summaryOf(path.id, folder?.modified ?? 0, meta, base);
  if (reasons.length === 0) return { summary, kept: !isEmpty };
  return { summary: { ...summary, unreadable: reasons.join('; ') }, kept: false };
}

/** True if the fault is not in the conversation: this process, or the machine, has no descriptors or memory left. */
function isOurs(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM'].includes(errorCode(error) ?? '');
}

function summaryOf(
  id: string,
  folderModified: number,
  meta: JsonObject | undefined,
  base: JsonObject | undefined,
): ConversationSummary {
  const changed = new Date(folderModified).toISOString();
  const fields: StateFields = {
    ...initialFields,
    createdAt: changed,
    ...(base && fromBaseState(base)),
    ...(meta && fromMeta(meta)),
  };
  const saved = meta?.['updated_at'];
  const updatedAt = (base && validMark(base)?.updatedAt) ?? (typeof saved === 'string' ? saved : changed);
  return conversationSummary(id, fields, updatedAt);
}
