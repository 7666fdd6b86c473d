import { join } from 'node:path';
import { projections, initialFields, type StateFields, type StatePatch } from '@conv/core';
import { forkCommits, type Commit, type ForkOptions } from '@conv/core/store';
import { isoNow } from '@conv/core/platform';
import { existsAlready, forkState, toCommitBody } from '@conv/store-kit';
import { Chain, type Part } from '../log/chain.ts';
import { encodeCommit } from '../log/commit-frame.ts';
import { OpenHandsMirror } from '../mirror/openhands-mirror.ts';
import { epochPath, pathsIn, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { EpochWriter } from '../log/epoch-writer.ts';
import { fallbackOf } from '../foreign/fallback-head.ts';
import { errorCode, ifThere, noSpace } from '../disk/from-fs-error.ts';
import { giveBackQuietly } from '../disk/give-back.ts';
import { IndexFile } from '../log/index-file.ts';
import { fieldsIn } from '../log/kept-state.ts';
import { journalEnd } from '../log/log-source.ts';
import { encodeOwner, type OwnerRecord } from '../log/owner-file.ts';
import { OwnFiles } from '../disk/own-files.ts';
import { thisProcess } from '../disk/process-identity.ts';
import { FsReader } from '../log/reader.ts';
import { keepRestored, readRestored } from '../log/restored-events.ts';
import { writeSnapshot } from '../log/snapshot-file.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { ownBaseState } from '../log/own-state-files.ts';
import { validMark, validMeta } from '../mirror/mirror-state.ts';
import { hasGap } from '../log/verify-log.ts';
import { writeAll, writeFile } from '../disk/whole-file.ts';

const COPY_BYTES = 1024 * 1024;

/** The input of {@link forkConversation}. */
export interface ForkContext {
  readonly disk: Disk;
  readonly source: FsReader;
  readonly from: ConversationPath;
  readonly to: ConversationPath;
  /** The state at the source's end, when its writer is at hand. */
  readonly fields: StateFields | undefined;
}

/**
 * Makes a fork in a folder without a name that counts, and gives it its name when its contents are durable. The whole
 * log is linked, not copied: files of the log only grow, and the fork knows where its part of them ends.
 */
export async function forkConversation(context: ForkContext, options: ForkOptions): Promise<void> {
  const { disk, to } = context;
  const folder = join(to.root, `.fork-${to.key}-${context.disk.platform.id()}`);
  const made = pathsIn(to.root, to.id, folder);
  try {
    for (const place of [made.folder, made.log, made.events]) disk.makeFolder(place);
    await (options.from === undefined ? forkWhole(context, made, options.patch) : forkLineage(context, made, options));
    nameFork(disk, folder, to);
  } catch (error) {
    // Nothing takes a folder of this name for a conversation.
    await disk.removeFolder(folder).catch(() => {});
    throw error;
  }
  // The fork exists since the rename, and survives a loss of power from here on.
  await disk.syncFolder(to.root, 'fork root');
}

function nameFork(disk: Disk, folder: string, to: ConversationPath): void {
  try {
    disk.rename(folder, to.folder);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw existsAlready(to.id, { cause: error });
    throw error;
  }
}

async function forkWhole(
  { disk, source, from, fields }: ForkContext,
  made: ConversationPath,
  patch: StatePatch,
): Promise<void> {
  const { chain, end } = source.logSource();
  const parts = chain.from(() => false);
  for (const part of parts) await linkPart(disk, from, made, part);
  const fallback = await fallbackOf(source);
  const known = fields ?? (await currentFields(disk, from, source, fallback));
  const { own, fields: after } = await forkState(source, made.id, patch, known);
  if (source.damage.length > 0 || hasGap(disk, from, source.logSource()))
    keepRestored(disk, unowned(disk, made), made, await source.restoredCommits());
  else copyRestored(disk, from, made);
  copyIndex(disk, from, made, end.event);
  const snapshot = await source.snapshot();
  if (snapshot) writeSnapshot(unowned(disk, made), made, snapshot);
  const { epoch, end: sealedAt } = chain.newest;
  const commit = { id: disk.platform.id(), events: [], patch: own };
  const written = await writeEpoch(disk, made, { epoch: epoch + 1, prev: epoch, sealedAt, ...end }, [
    { ...commit, seq: end.seq, firstEvent: end.event, epoch: 0 },
  ]);
  await writeMirror(disk, made, written, after, fallback);
}

async function forkLineage({ disk, source }: ForkContext, made: ConversationPath, options: ForkOptions): Promise<void> {
  const commits = await forkCommits(source, options, disk.platform);
  const written = await writeEpoch(disk, made, { epoch: 1, prev: null, sealedAt: 0, seq: 0, event: 0 }, commits);
  const found = { epoch: 1, body: written.body, start: undefined };
  const chain = new Chain(disk, made, found, written.durable, { seq: 0, event: 0 });
  const reader = new FsReader(disk, made, { chain, end: journalEnd(written), damage: [] });
  try {
    const { fields } = await projections.readState(reader);
    await writeMirror(disk, made, written, fields, await fallbackOf(reader));
  } finally {
    await reader.close();
  }
}

interface Written {
  readonly epoch: number;
  readonly body: number;
  readonly durable: number;
  readonly seq: number;
  readonly event: number;
}

/** Writes an epoch with commits and makes it durable. */
async function writeEpoch(
  disk: Disk,
  path: ConversationPath,
  start: { epoch: number; prev: number | null; sealedAt: number; seq: number; event: number },
  commits: readonly Commit[],
): Promise<Written> {
  const writer = EpochWriter.claim(disk, path, start.epoch);
  if (!writer) throw existsAlready(path.id);
  try {
    await writer.begin({ ...start, owner: 'fork', createdAt: isoNow(disk.platform) });
    const body = writer.end;
    let event = start.event;
    for (const { seq, firstEvent, epoch: _, ...commit } of commits) {
      const frame = encodeCommit(toCommitBody(commit), { seq, epoch: start.epoch, firstEvent }, body);
      const { written, failure } = writer.write(frame);
      if (written < frame.length) throw failure ?? noSpace(`conversation ${path.id}`);
      event = firstEvent + commit.events.length;
    }
    await writer.sync('fork log');
    return { epoch: start.epoch, body, durable: writer.end, seq: start.seq + commits.length, event };
  } finally {
    writer.close();
  }
}

/** Returns files without a fence, because no other process knows the folder of a fork before it has its name. */
function unowned(disk: Disk, path: ConversationPath): OwnFiles {
  return new OwnFiles(disk, path, disk.platform.id(), () => false);
}

/** Gives a file of the log a second name. Where there are no second names, makes a durable copy of our part of it. */
async function linkPart(disk: Disk, from: ConversationPath, to: ConversationPath, part: Part): Promise<void> {
  try {
    disk.link(epochPath(from, part.epoch), epochPath(to, part.epoch));
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(errorCode(error) ?? '')) throw error;
    const copy = copyBytes(disk, epochPath(from, part.epoch), epochPath(to, part.epoch), part.end);
    if (copy === undefined) return;
    try {
      await disk.sync(copy, 'fork copy');
    } finally {
      disk.close(copy);
    }
  }
}

/** Copies the first bytes of a file into a new file, which stays open. `undefined` if the first file is not there. */
function copyBytes(disk: Disk, from: string, to: string, length: number): number | undefined {
  const file = ifThere(() => disk.open(from, 'read'));
  if (file === undefined) return undefined;
  try {
    const target = disk.open(to, 'create');
    try {
      copyInto(disk, file, target, length);
      return target;
    } catch (error) {
      disk.close(target);
      throw error;
    }
  } finally {
    // It was only read.
    giveBackQuietly(() => disk.close(file));
  }
}

function copyInto(disk: Disk, file: number, target: number, length: number): void {
  const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, length));
  for (let at = 0; at < length;) {
    const read = disk.read(file, bytes.subarray(0, Math.min(bytes.length, length - at)), at);
    if (read === 0) break;
    writeAll(disk, target, bytes.subarray(0, read), at);
    at += read;
  }
}

function copyRestored(disk: Disk, from: ConversationPath, to: ConversationPath): void {
  const commits = readRestored(disk, from);
  if (commits.length > 0) keepRestored(disk, unowned(disk, to), to, commits);
}

function copyIndex(disk: Disk, from: ConversationPath, to: ConversationPath, events: number): void {
  const copy = copyBytes(disk, from.index, to.index, events * IndexFile.entryBytes);
  if (copy !== undefined) disk.close(copy);
}

/**
 * Resolves with the state at the end of a log: from OpenHands' files if they are up to date, else by folding. `fallback`: the
 * HEAD where these files name none.
 */
async function currentFields(
  disk: Disk,
  path: ConversationPath,
  reader: FsReader,
  fallback: string | null,
): Promise<StateFields> {
  const base = ownBaseState(disk, path);
  const meta = readJsonObject(disk, path.meta);
  const mark = base && validMark(base);
  const whole = mark && meta && validMeta(meta, mark) && reader.damage.length === 0;
  if (!whole || mark.seq !== reader.end.seq || !mark.limits) return (await projections.readState(reader)).fields;
  const mirrored = { ...initialFields, ...fieldsIn(base, meta) };
  return mirrored.leafEventId === null && !mirrored.headIsEmpty ? { ...mirrored, leafEventId: fallback } : mirrored;
}

/** Writes the files that lists and OpenHands need. The files of the events follow in the background. */
async function writeMirror(
  disk: Disk,
  path: ConversationPath,
  written: Written,
  fields: StateFields,
  fallback: string | null,
): Promise<void> {
  const { epoch, seq, event, durable } = written;
  const mirror = new OpenHandsMirror(
    disk,
    path,
    unowned(disk, path),
    { events: 0, namedHead: null, fallback },
    () => {},
  );
  await mirror.writeState({ fields, seq, epoch, updatedAt: isoNow(disk.platform) }, { head: 'auto', durable: true });
  const record: OwnerRecord = {
    epoch,
    seq,
    event,
    durable,
    owner: 'fork',
    token: disk.platform.id(),
    process: thisProcess(),
    renewedAt: disk.platform.now(),
    patience: 0,
    released: true,
    viewedEvents: 0,
    eventsModified: null,
  };
  writeFile(disk, path.owner, encodeOwner(record));
}
