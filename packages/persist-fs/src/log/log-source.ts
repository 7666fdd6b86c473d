import { toCommitSeq, toEventIndex, type Damage, type JournalEnd } from '@conv/core/store';
import { acknowledgedEnd } from './acknowledged.ts';
import { Chain, firstCommit, newestEpoch, withEpochFile } from './chain.ts';
import { listEpochs, epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { FoundEpoch } from './epoch-file.ts';
import { errorCode, ifThere } from '../disk/from-fs-error.ts';
import { IndexFile } from './index-file.ts';
import { restoreCommits, restoredNumbers } from './restored-events.ts';
import { findLogEnd, lost, type LogPosition } from './log-end.ts';
import { isLive, published, readOwner, type OwnerRecord, type Published } from './owner-file.ts';
import { lifeOfProcess } from '../disk/process-identity.ts';

/** A log as seen at one moment: its files and where it ends. */
export interface LogSource {
  readonly chain: Chain;
  /** The end of everything that is known to have been acknowledged, even if it cannot be read. */
  readonly end: JournalEnd;
  /** Acknowledged commits that are lost at the end. */
  readonly damage: readonly Damage[];
}

const UNKNOWN_START = { seq: 0, event: 0 };

/**
 * Reads a log without owning it, up to the end that its owner has published. If no living owner says where it ends, the
 * rest is made durable before it is shown. It counts only if no other process took over meanwhile. Resolves with
 * `undefined` if there is no log.
 */
export async function openLogSource(disk: Disk, path: ConversationPath): Promise<LogSource | undefined> {
  for (;;) {
    const found = newestEpoch(disk, path);
    if (!found) return undefined;
    const end = await endAsPublished(disk, path, found);
    if (!end) continue;
    const first = withEpochFile(disk, path, found.epoch, (file) => firstNumbers(disk, file, found));
    const chain = new Chain(disk, path, found, end.offset, first ?? UNKNOWN_START);
    return { chain, ...withLostEnd(disk, path, found.epoch, end) };
  }
}

/** Returns the first numbers of an epoch: from its start, or from its first commit if the start is damaged. */
function firstNumbers(disk: Disk, file: number, found: FoundEpoch): { seq: number; event: number } {
  return found.start ?? firstCommit(disk, file, found) ?? UNKNOWN_START;
}

/** Returns the place where an epoch's commits begin. */
export function startOf(disk: Disk, file: number, found: FoundEpoch): LogPosition {
  const { seq, event } = firstNumbers(disk, file, found);
  return { offset: found.body, seq, event };
}

/** Returns the end of a log that can be read up to `end`, and the damage after that. */
export function withLostEnd(
  disk: Disk,
  path: ConversationPath,
  epoch: number,
  end: { readonly seq: number; readonly event: number; readonly knownSeq?: number },
): Pick<LogSource, 'end' | 'damage'> {
  const { seq, event, knownSeq = 0 } = end;
  if (knownSeq <= seq) return { end: journalEnd(end), damage: [] };
  const index = new IndexFile(disk, path.index, 'read');
  try {
    const found = restoreCommits(disk, path, index, { from: seq, to: knownSeq, fromEvent: event });
    const restored = restoredNumbers(found);
    const where = `the end of epoch ${epoch} of conversation ${path.id}`;
    return {
      end: journalEnd({ seq: knownSeq, event: Math.max(event, (restored.at(-1) ?? -1) + 1) }),
      damage: [lost(seq, knownSeq, where, restored)],
    };
  } finally {
    index.rest();
  }
}

/** Returns the numbers of a position. */
export function journalEnd({ seq, event }: { seq: number; event: number }): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}

/** A place in a log, and the number of commits that are known to have been acknowledged. */
interface SettledEnd extends LogPosition {
  readonly knownSeq?: number;
}

/**
 * Resolves with the published end if its owner lives or has closed, or if a claimant may live. Otherwise settles the
 * end. `undefined`: the log has changed hands, look again.
 */
async function endAsPublished(disk: Disk, path: ConversationPath, found: FoundEpoch): Promise<SettledEnd | undefined> {
  const owner = readOwner(disk, path.owner);
  const said = owner && published(owner);
  const known = said?.epoch === found.epoch ? said : undefined;
  const size = withEpochFile(disk, path, found.epoch, (file) => disk.size(file));
  if (size === undefined) return undefined;
  const whole = known && known.durable >= found.body && known.durable <= size;
  if (owner && known && whole) {
    const end = { offset: known.durable, seq: known.seq, event: known.event };
    // A claimant of a higher epoch decides where this one ends, as long as it may live.
    if (
      owner.epoch === found.epoch
        ? owner.released || isLive(owner, disk.platform.now())
        : !owner.released && lifeOfProcess(owner.process) !== 'dead'
    )
      return end;
  }
  return settledEnd(disk, path, found, owner, whole ? known : undefined);
}

/** Settles the end of a log without a living owner: what the next owner takes over is shown once it is durable. */
async function settledEnd(
  disk: Disk,
  path: ConversationPath,
  found: FoundEpoch,
  owner: OwnerRecord | undefined,
  readTo: Published | undefined,
): Promise<SettledEnd | undefined> {
  const top = listEpochs(disk, path)[0];
  const file = ifThere(() => disk.open(epochPath(path, found.epoch), 'read'));
  if (file === undefined) return undefined;
  try {
    const acknowledged = acknowledgedEnd(disk, path, found.epoch, owner);
    const begin = readTo
      ? { offset: readTo.durable, seq: readTo.seq, event: readTo.event }
      : startOf(disk, file, found);
    const end = findLogEnd(disk, file, found.epoch, begin, acknowledged);
    // Durable before it is shown: a loss of power must not take away what a reader has seen (P1).
    await syncIfPossible(disk, file);
    // The fence of a reader: an epoch that was claimed meanwhile may seal this one elsewhere, so look again.
    const same = listEpochs(disk, path)[0] === top && newestEpoch(disk, path)?.epoch === found.epoch;
    return same ? { ...end, knownSeq: acknowledged.seq } : undefined;
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
