import type { JsonObject } from '@conv/core';
import { toCommitSeq, type Snapshot } from '@conv/core/store';
import { checkedText, textIn } from '@conv/store-kit/system';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import { readFile } from '../disk/whole-file.ts';
import { otherConversation } from './own-state-files.ts';

/**
 * Stores a snapshot. It is not synced: a snapshot that a loss of power tore fails its CRC and is ignored, and the log holds all
 * of its content.
 */
export function writeSnapshot(files: OwnFiles, path: ConversationPath, snapshot: Snapshot): void {
  files.replace(path.snapshot, Buffer.from(checkedText(JSON.stringify(snapshot))));
}

/** Reads the snapshot; `undefined` if there is none, it is damaged, or it is ahead of `end`, the end of the durable log. */
export function readSnapshot(disk: Disk, path: ConversationPath, end: number): Snapshot | undefined {
  const text = textIn(ifThere(() => readFile(disk, path.snapshot))?.toString() ?? '');
  if (text === undefined) return undefined;
  const { seq, version, data } = JSON.parse(text) as Snapshot;
  return seq <= end ? { seq: toCommitSeq(seq), version, data } : undefined;
}

/** Returns the number of commits in the snapshot; 0 if there is none, or it is damaged or of another conversation. */
export function snapshotSeq(disk: Disk, path: ConversationPath): number {
  const found = readSnapshot(disk, path, Infinity);
  return found && !namesOther(disk, path, found) ? found.seq : 0;
}

/** True if a snapshot names another conversation than the log. The snapshot of a fork may be of its source. */
export function namesOther(disk: Disk, path: ConversationPath, { data }: Snapshot): boolean {
  return otherConversation(disk, path, (data['fields'] ?? {}) as JsonObject, () => false) !== undefined;
}
