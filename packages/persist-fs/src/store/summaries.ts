import { loadJsonObject } from '../disk/json-file.ts';
import { join } from 'node:path';
import { projections, errorText, initialFields, type JsonObject, type StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/openhands/folder';
import { conversationSummary, toConversationId, type ConversationSummary } from '@conv/core/store';
import { newestEpoch } from '../log/chain.ts';
import { pathsIn, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk, DiskStat } from '../disk/disk.ts';
import { errorCode } from '../disk/from-fs-error.ts';
import { assertOfConversation } from '../foreign/foreign-id.ts';
import { openLogSource } from '../log/log-source.ts';
import { otherConversation } from '../log/own-state-files.ts';
import { FsReader } from '../log/reader.ts';
import { isThere } from './is-conversation.ts';
import { isDamaged, isDamagedMeta, validMark } from '../mirror/mirror-state.ts';

/** The summary of a conversation for lists, and whether it is worth keeping. */
export interface FoundSummary {
  readonly summary: ConversationSummary;
  /** True if it was made of the small files alone, so that it holds as long as they do not change. */
  readonly kept: boolean;
}

/**
 * Reads the summary of the conversation in the folder `name`, from its small files alone unless they are those of another
 * conversation. Damaged fields keep their defaults. Files that cannot be read are named in `unreadable`. Resolves with `undefined` if there is no conversation.
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
  // If the files belong to another conversation, only the log counts, because it has the id (decision 53).
  const logged = await attempt(() => {
    const isOther =
      (base && otherConversation(disk, path, base, isDamaged)) ??
      (meta && otherConversation(disk, path, meta, isDamagedMeta));
    if (isOther === undefined) return undefined;
    if (newestEpoch(disk, path)) return loggedFields(disk, path);
    assertOfConversation(path, base);
    return undefined;
  });
  if (logged) return { summary: conversationSummary(path.id, logged, changedAt(folder)), kept: false };
  if (isEmpty && (await attempt(() => isThere(disk, path))) === false) return undefined;
  const summary = summaryOf(path.id, changedAt(folder), meta, base);
  if (reasons.length === 0) return { summary, kept: !isEmpty };
  return { summary: { ...summary, unreadable: reasons.join('; ') }, kept: false };
}

/** Resolves with the state that the log comes to. */
async function loggedFields(disk: Disk, path: ConversationPath): Promise<StateFields | undefined> {
  const source = await openLogSource(disk, path);
  const reader = source && new FsReader(disk, path, source);
  try {
    return reader && (await projections.readState(reader)).fields;
  } finally {
    await reader?.close();
  }
}

/** True if the fault is not in the conversation: this process, or the machine, has no descriptors or memory left. */
function isOurs(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM'].includes(errorCode(error) ?? '');
}

function changedAt(folder: DiskStat | undefined): string {
  return new Date(folder?.modified ?? 0).toISOString();
}

function summaryOf(
  id: string,
  changed: string,
  meta: JsonObject | undefined,
  base: JsonObject | undefined,
): ConversationSummary {
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
