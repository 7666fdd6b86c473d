import type { JournalEnd } from '@conv/core/store';
import { toCommitSeq, toEventIndex } from '@conv/core/store';
import { Chain, listEpochs, newestEpoch, withEpochFile } from './chain.ts';
import { epochPath, type ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import type { FoundEpoch } from './epoch-file.ts';
import { errorCode, ifThere } from './from-fs-error.ts';
import { findLogEnd, startOf, type LogEnd } from './log-end.ts';
import { isLive, readOwner, type Published } from './owner-file.ts';

/** A log as seen at one moment: its files and where it ends. */
export interface LogSource {
  readonly chain: Chain;
  readonly end: JournalEnd;
}

const UNKNOWN_START = { seq: 0, event: 0 };

/**
 * Looks at a log from outside: up to where its owner says that it is durable. When no owner lives to say so, the rest is
 * made durable before it is shown, and it counts only if nobody took over meanwhile. `undefined` when there is no log.
 */
export async function viewLog(disk: Disk, path: ConversationPath): Promise<LogSource | undefined> {
  for (;;) {
    const found = newestEpoch(disk, path);
    if (!found) return undefined;
    const end = await endAsPublished(disk, path, found);
    if (!end) continue;
    return { chain: new Chain(disk, path, found, end.offset, UNKNOWN_START), end: journalEnd(end) };
  }
}

/** The numbers of a position. */
export function journalEnd({ seq, event }: { seq: number; event: number }): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}

/** `undefined`: the log has changed hands, look again. */
async function endAsPublished(
  disk: Disk,
  path: ConversationPath,
  found: FoundEpoch,
): Promise<{ offset: number; seq: number; event: number } | undefined> {
  const owner = readOwner(disk, path.owner);
  const size = ifThere(() => withEpochFile(disk, path, found.epoch, (file) => disk.size(file)));
  if (size === undefined) return undefined;
  if (owner?.epoch === found.epoch && owner.durable >= found.body && owner.durable <= size) {
    const published = { offset: owner.durable, seq: owner.seq, event: owner.event };
    if (owner.released || isLive(owner, Date.now())) return published;
  }
  const higher = (listEpochs(disk, path)[0] ?? 0) > found.epoch;
  if (higher) return beforeTakeover(disk, path, found, owner?.previous);
  return settledEnd(disk, path, found);
}

/** Someone is taking over and decides now where this file ends: only what its owner had acknowledged is certain. */
function beforeTakeover(
  disk: Disk,
  path: ConversationPath,
  found: FoundEpoch,
  previous: Published | undefined,
): LogEnd | undefined {
  return withEpochFile(disk, path, found.epoch, (file) => {
    const from = startOf(found, UNKNOWN_START);
    const { durable } = findLogEnd(disk, file, found.epoch, from);
    const acknowledged = Math.max(durable, previous?.epoch === found.epoch ? previous.durable : 0);
    return findLogEnd(disk, file, found.epoch, from, acknowledged);
  });
}

/** Nobody writes: what is there will be taken over as it is, once it is durable. */
async function settledEnd(disk: Disk, path: ConversationPath, found: FoundEpoch): Promise<LogEnd | undefined> {
  const file = ifThere(() => disk.open(epochPath(path, found.epoch), 'read'));
  if (file === undefined) return undefined;
  try {
    const end = findLogEnd(disk, file, found.epoch, startOf(found, UNKNOWN_START));
    await syncIfPossible(disk, file);
    return (listEpochs(disk, path)[0] ?? 0) > found.epoch ? undefined : end;
  } finally {
    disk.close(file);
  }
}

async function syncIfPossible(disk: Disk, file: number): Promise<void> {
  try {
    await disk.sync(file, 'reader');
  } catch (error) {
    // A read-only file system has nothing to lose.
    if (errorCode(error) !== 'EROFS' && errorCode(error) !== 'EINVAL') throw error;
  }
}
