import type { JournalEnd } from '@conv/core/store';
import { toCommitSeq, toEventIndex } from '@conv/core/store';
import { Chain, firstCommit, listEpochs, newestEpoch, withEpochFile } from './chain.ts';
import { epochPath, type ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import type { FoundEpoch } from './epoch-file.ts';
import { errorCode, ifThere } from './from-fs-error.ts';
import { findLogEnd, startOf, type LogEnd, type LogPosition } from './log-end.ts';
import { isLive, published, readOwner, type Published } from './owner-file.ts';
import { lifeOf } from './process-identity.ts';

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
    const first = withEpochFile(disk, path, found.epoch, (file) => firstNumbers(disk, file, found));
    return { chain: new Chain(disk, path, found, end.offset, first ?? UNKNOWN_START), end: journalEnd(end) };
  }
}

/** Where an epoch begins: as it says, or where its first commit stands when that is damaged. */
function firstNumbers(disk: Disk, file: number, found: FoundEpoch): { seq: number; event: number } {
  return found.start ?? firstCommit(disk, file, found) ?? UNKNOWN_START;
}

/** The numbers of a position. */
export function journalEnd({ seq, event }: { seq: number; event: number }): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}

/** `undefined`: the log has changed hands, look again. */
async function endAsPublished(disk: Disk, path: ConversationPath, found: FoundEpoch): Promise<LogPosition | undefined> {
  const owner = readOwner(disk, path.owner);
  const said = owner && published(owner);
  const known = said?.epoch === found.epoch ? said : undefined;
  const size = withEpochFile(disk, path, found.epoch, (file) => disk.size(file));
  if (size === undefined) return undefined;
  const whole = known && known.durable >= found.body && known.durable <= size;
  if (owner && known && whole) {
    const end = { offset: known.durable, seq: known.seq, event: known.event };
    // The claimant of a higher epoch, as long as it may live, decides where this one ends.
    if (
      owner.epoch === found.epoch
        ? owner.released || isLive(owner, Date.now())
        : !owner.released && lifeOf(owner.process) !== 'dead'
    )
      return end;
  }
  return settledEnd(disk, path, found, known, whole ? known : undefined);
}

/** Nobody writes: what is there will be taken over as it is, once it is durable. */
async function settledEnd(
  disk: Disk,
  path: ConversationPath,
  found: FoundEpoch,
  known: Published | undefined,
  readTo: Published | undefined,
): Promise<LogEnd | undefined> {
  const top = listEpochs(disk, path)[0];
  const file = ifThere(() => disk.open(epochPath(path, found.epoch), 'read'));
  if (file === undefined) return undefined;
  try {
    const acknowledged = { durable: known?.durable ?? 0, seq: known?.seq ?? 0 };
    const begin = readTo
      ? { offset: readTo.durable, seq: readTo.seq, event: readTo.event }
      : startOf(found, firstNumbers(disk, file, found));
    const end = findLogEnd(disk, file, found.epoch, begin, acknowledged);
    await syncIfPossible(disk, file);
    return listEpochs(disk, path)[0] === top && newestEpoch(disk, path)?.epoch === found.epoch ? end : undefined;
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
