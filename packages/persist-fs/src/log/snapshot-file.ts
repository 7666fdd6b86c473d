import { crc32 } from 'node:zlib';
import { toCommitSeq, type Snapshot } from '@conv/core/store';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import { readFile } from '../disk/whole-file.ts';

/**
 * Stores a snapshot. It is not synced: a snapshot that a loss of power tore does not match its CRC and is left out, and
 * the log has everything that it held.
 */
export function writeSnapshot(files: OwnFiles, path: ConversationPath, snapshot: Snapshot): void {
  const text = JSON.stringify(snapshot);
  files.replace(path.snapshot, Buffer.from(`${crc32(text).toString(16).padStart(8, '0')} ${text}`));
}

/**
 * Reads the stored snapshot. Returns `undefined` if there is none, it is damaged, or it is ahead of `end`, the end of
 * the durable log.
 */
export function readSnapshot(disk: Disk, path: ConversationPath, end: number): Snapshot | undefined {
  const text = ifThere(() => readFile(disk, path.snapshot))?.toString();
  if (text === undefined || Number.parseInt(text.slice(0, 8), 16) !== crc32(text.slice(9))) return undefined;
  const { seq, version, data } = JSON.parse(text.slice(9)) as Snapshot;
  return seq <= end ? { seq: toCommitSeq(seq), version, data } : undefined;
}

/** Returns the number of commits in the snapshot; 0 if there is none, or it is damaged. */
export function snapshotSeq(disk: Disk, path: ConversationPath): number {
  return readSnapshot(disk, path, Infinity)?.seq ?? 0;
}
