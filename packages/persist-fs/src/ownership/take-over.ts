import { isStoreError, type Damage, type OpenOptions, type StoreError } from '@conv/core/store';
import { ownedBy } from '@conv/store-kit';
import { isoNow } from '@conv/core/platform';
import { acknowledgedEnd, isLiveCopy, isMoved, type Acknowledged } from '../log/acknowledged.ts';
import { Chain, newestEpoch, withEpochFile } from '../log/chain.ts';
import { listEpochs, epochPath, refuseEscape, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { FoundEpoch } from '../log/epoch-file.ts';
import { EpochWriter } from '../log/epoch-writer.ts';
import type { Report } from '../disk/finding.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { giveBackQuietly } from '../disk/give-back.ts';
import { Lease } from './lease.ts';
import { findLogEnd, type LogEnd, type LogPosition } from '../log/log-end.ts';
import { startOf, withLostEnd } from '../log/log-source.ts';
import { LogWriter } from '../log/log-writer.ts';
import { isLive, published, readOwner, type OwnerRecord, type Published } from '../log/owner-file.ts';
import { obstacleKind } from '../mirror/obstacles.ts';
import { OwnFiles } from '../disk/own-files.ts';
import { together } from '../disk/together.ts';
import { giveUpQuietly, Ownership } from './ownership.ts';
import { OwnerHeartbeat } from './heartbeat.ts';
import { dropToken, newToken, thisProcess } from '../disk/process-identity.ts';

export interface TakeOverContext {
  readonly disk: Disk;
  readonly path: ConversationPath;
  readonly options: OpenOptions;
  /** Milliseconds without a heartbeat after which an owner may be taken over. */
  readonly leaseTimeout: number;
  readonly report: Report;
  /** True if everything that is made from the log is made again. */
  readonly anew?: boolean;
}

/** A log that this process owns: older owners acknowledge nothing any more, and all of the log is durable. */
export interface TakenOver {
  readonly ownership: Ownership;
  readonly chain: Chain;
  /** The last record of the owner before. */
  readonly before: OwnerRecord | undefined;
  /** Commits that are lost at the end of the older epochs. */
  readonly damage: readonly Damage[];
  /** True if the folder is a copy of a folder in use, so that its files may show more than its log (decision 28). */
  readonly isLiveCopy: boolean;
}

/**
 * Becomes the one writer (P2, decisions 12 and 28).
 *
 * ```text
 *                            fenced: a later owner claimed epoch n + 2, so everything is given back, and OWNED
 *                                ▲                  ▲                     ▲
 *   owner and lease free? ──► claim epoch n + 1 ──► owner.json ──► read, flush and seal epoch n ──► begin n + 1 ──► lease
 *     │ no: OWNED                │ another process was first: look again
 * ```
 *
 * The order is the proof. The claim fences every older owner, and only then is the log read, so nothing is acknowledged after the
 * place where it is sealed. That much of the log is made durable before a commit is built upon it. `owner.json` and the lease keep
 * others from claiming; the epochs alone decide.
 */
export async function takeOver(context: TakeOverContext): Promise<TakenOver> {
  refuseEscape(context.disk, context.path);
  const token = newToken(context.disk.platform);
  try {
    return await takeOverAs(context, token);
  } catch (error) {
    // a token that stays would make this process look like an owner that lives
    dropToken(token);
    throw error;
  }
}

async function takeOverAs(context: TakeOverContext, token: string): Promise<TakenOver> {
  const { disk, path, options } = context;
  const lease = new Lease(disk, path, token);
  const writer = claim(context, lease);
  let heartbeat: OwnerHeartbeat | undefined;
  let log: LogWriter | undefined;
  let ownership: Ownership | undefined;
  try {
    const before = readOwner(disk, path.owner);
    const copied = isLiveCopy(disk, path, before);
    const files = new OwnFiles(disk, path, token, () => (log ?? writer).isFenced());
    heartbeat = new OwnerHeartbeat(disk, path, files, firstRecord(context, writer.epoch, token, before));
    // fence: after it the record of a later owner would be covered by ours
    if (writer.isFenced()) throw owned(path, before);
    files.sweep();
    heartbeat.raise();
    options.signal?.throwIfAborted();
    // others may claim during this await: from the claim on, nothing of ours can be acknowledged, so the fence after it decides
    const taken = await seal(context, writer, before);
    if (writer.isFenced() || !lease.renew(files, before?.token)) throw owned(path, readOwner(disk, path.owner));
    log = new LogWriter(disk, path, options.owner, writer, taken.end);
    ownership = new Ownership({ platform: disk.platform, path, log, files, heartbeat, lease });
    ownership.publish();
    // A claimant that gave up may have put its record over this one.
    heartbeat.renew();
    return { ownership, chain: taken.chain, before, damage: taken.damage, isLiveCopy: copied };
  } catch (error) {
    // whatever failed, nothing was acknowledged in this epoch: the next owner seals it empty
    if (ownership) giveUpQuietly(ownership);
    else
      giveBackQuietly(
        () => heartbeat?.update({ released: true }),
        () => heartbeat?.close(),
        () => writer.close(),
        () => lease.release(),
      );
    throw isStoreError(error, 'FENCED') ? owned(path, readOwner(disk, path.owner)) : error;
  }
}

/** Throws `OWNED` while another owner lives. For changes that do not need an ownership of their own. */
export function assertNotOwned(disk: Disk, path: ConversationPath): void {
  if (obstacleKind(disk, path.owner) !== undefined || obstacleKind(disk, path.lease) !== undefined) return;
  assertFree(disk, path, new Lease(disk, path, ''));
}

/** Throws `OWNED` while an owner or an agent server of OpenHands lives. */
export function assertFree(disk: Disk, path: ConversationPath, lease: Lease): void {
  const owner = readOwner(disk, path.owner);
  if (owner && isLive(owner, disk.platform.now()) && !isMoved(disk, path, owner)) throw owned(path, owner);
  lease.assertFree(owner?.token);
}

/**
 * Claims the next epoch: creates its file, which only one process can. Throws `OWNED`. The look at the owner comes first in each round,
 * because the process that was faster may live.
 */
function claim({ disk, path }: TakeOverContext, lease: Lease): EpochWriter {
  for (;;) {
    assertFree(disk, path, lease);
    const writer = EpochWriter.claim(disk, path, (listEpochs(disk, path)[0] ?? 0) + 1);
    if (writer) return writer;
  }
}

/** Returns the error for a folder with an owner. `until` is a guess: a heartbeat prolongs it, and a dead process ends it early. */
function owned(path: ConversationPath, record: OwnerRecord | undefined): StoreError {
  const until = record && record.renewedAt + record.patience;
  const info = { owner: record?.owner ?? 'another process', epoch: record?.epoch ?? 0 };
  return ownedBy(path.id, until === undefined ? info : { ...info, until });
}

/** Returns the record of a new owner. `previous` keeps the end that the owner before had published until this owner publishes its own. */
function firstRecord(
  { disk, options, leaseTimeout }: TakeOverContext,
  epoch: number,
  token: string,
  before: OwnerRecord | undefined,
): OwnerRecord {
  return {
    epoch,
    owner: options.owner,
    token,
    process: thisProcess(),
    renewedAt: disk.platform.now(),
    patience: leaseTimeout,
    released: false,
    durable: 0,
    seq: before?.seq ?? 0,
    event: before?.event ?? 0,
    ...(before ? { previous: published(before) } : {}),
    viewedEvents: before?.viewedEvents ?? 0,
    eventsModified: before?.eventsModified ?? null,
  };
}

/** A log whose older epochs are sealed. */
interface Sealed {
  readonly chain: Chain;
  readonly end: { readonly seq: number; readonly event: number };
  readonly damage: readonly Damage[];
}

/**
 * Seals the newest epoch before `writer` where its last whole commit ends, and begins the epoch of `writer` after it.
 *
 * Invariant: a commit that was acknowledged lies before the seal. Its owner looked for our claim after its flush, and the log is
 * read after the claim.
 */
async function seal(context: TakeOverContext, writer: EpochWriter, before: OwnerRecord | undefined): Promise<Sealed> {
  const { disk, path, options } = context;
  const found = newestEpoch(disk, path, writer.epoch);
  const acknowledged = acknowledgedEnd(disk, path, found?.epoch ?? 0, before);
  const last = found && endOf(context, found, before && published(before), acknowledged);
  // An owner that died may have written commits without a flush: they are ours to keep, so they become durable here. The process that
  // made the folders may have died before their names were durable. These flushes share the work of the device.
  await together([
    ...(found && last ? [syncSealed(disk, path, found.epoch)] : []),
    disk.syncFolder(path.folder, 'conversation folder'),
    disk.syncFolder(path.root, 'root folder'),
  ]);
  options.signal?.throwIfAborted();
  const readable = { seq: last?.seq ?? 0, event: last?.event ?? 0 };
  const { end, damage } = withLostEnd(disk, path, found?.epoch ?? 0, { ...readable, knownSeq: acknowledged.seq });
  const start = { prev: found?.epoch ?? null, sealedAt: last?.offset ?? 0, ...end };
  const header = { epoch: writer.epoch, ...start, owner: options.owner, createdAt: isoNow(disk.platform) };
  // from here on a reader follows the seal; a crash before it leaves an epoch without a header, which the next owner skips
  await writer.begin(header);
  return { chain: new Chain(disk, path, writer.beginning, writer.durable, end), end, damage };
}

/** Returns the end of the file to be sealed, and how far the log is known to have gone. */
function endOf(
  { disk, path, report }: TakeOverContext,
  found: FoundEpoch,
  hint: Published | undefined,
  acknowledged: Acknowledged,
): LogEnd | undefined {
  return withEpochFile(disk, path, found.epoch, (file) => {
    const hinted = hint?.epoch === found.epoch ? hint : undefined;
    const reached = hinted && hinted.durable >= found.body && hinted.durable <= disk.size(file);
    // a published end that fits the file saves reading what is before it; otherwise the file is read from its start (P12)
    const from: LogPosition =
      hinted && reached ? { offset: hinted.durable, seq: hinted.seq, event: hinted.event } : startOf(disk, file, found);
    const end = findLogEnd(disk, file, found.epoch, from, acknowledged);
    if (end.tornBytes > 0 && acknowledged.seq <= end.seq)
      report({ kind: 'tornTail', conversationId: path.id, epoch: found.epoch, bytes: end.tornBytes });
    return end;
  });
}

/** Flushes the sealed file. A file that is gone was deleted with its conversation, which the fence after finds. */
async function syncSealed(disk: Disk, path: ConversationPath, epoch: number): Promise<void> {
  const file = ifThere(() => disk.open(epochPath(path, epoch), 'read'));
  if (file === undefined) return;
  try {
    await disk.sync(file, 'sealed');
  } finally {
    disk.close(file);
  }
}
