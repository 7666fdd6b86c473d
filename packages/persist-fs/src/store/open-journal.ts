import type { JsonObject } from '@conv/core';
import type { KeptState } from '@conv/core/store';
import { existsAlready, notInStore } from '@conv/store-kit';
import { newestEpoch } from '../log/chain.ts';
import { OpenHandsMirror } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { fallbackOf } from '../foreign/fallback-head.ts';
import { holdsOwnFiles } from '../mirror/event-files.ts';
import { setAside } from '../mirror/foreign-events.ts';
import { assertOfConversation } from '../foreign/foreign-id.ts';
import { importForeign } from '../foreign/import-foreign.ts';
import type { IndexFile } from '../log/index-file.ts';
import { isBeingMade, isConversation, isThere } from './is-conversation.ts';
import { FsJournal } from './journal.ts';
import { keptStates } from '../log/kept-state.ts';
import { journalEnd, type LogSource } from '../log/log-source.ts';
import { makeIfMissing } from '../disk/make-folder.ts';
import { giveUpQuietly } from '../ownership/ownership.ts';
import { openIndex } from '../log/open-index.ts';
import type { OwnerRecord } from '../log/owner-file.ts';
import { isSettled } from '../disk/settled-time.ts';
import { thisProcess } from '../disk/process-identity.ts';
import { FsReader } from '../log/reader.ts';
import { keepRestored } from '../log/restored-events.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { ownBaseState } from '../log/own-state-files.ts';
import { assertNotOwned, takeOver, type TakenOver, type TakeOverContext } from '../ownership/take-over.ts';
import { hasGap } from '../log/verify-log.ts';
import { isDamaged, isDamagedMeta, validMark, validMeta } from '../mirror/mirror-state.ts';
import type { MirrorMode } from '../mirror/mirror-writer.ts';

/** Opens a conversation for writing. When it resolves, the log holds what OpenHands wrote into the folder. */
export async function openJournal(context: TakeOverContext, mirrorMode: MirrorMode): Promise<FsJournal> {
  const { disk, path, options } = context;
  if (!newestEpoch(disk, path)) assertOfConversation(path, readJsonObject(disk, path.baseState));
  prepareFolders(disk, path, options.create ?? 'ifMissing');
  const taken = await takeOver(context);
  let opened: FsJournal | undefined;
  let index: IndexFile | undefined;
  try {
    const { before } = taken;
    const crashed = before?.process.bootId !== thisProcess().bootId;
    const source = { chain: taken.chain, end: journalEnd(taken.ownership.log.end), damage: taken.damage };
    // These files are read before they are written again, because they may know of lost commits (decision 27).
    const kept = keptStates(disk, path);
    index = openIndex(disk, path, source, { crashed: crashed || context.anew === true, anew: taken.isLiveCopy });
    const journal = (opened = await assemble(context, taken, { source, index, kept, mirrorMode }));
    const gap = hasGap(disk, path, source);
    await restoreLost(context, taken, journal, gap);
    // A lost event needs a file that stands in for it (decision 54).
    const untouched = taken.damage.length === 0 && !gap && (await isUntouched(disk, path, before, index));
    const written =
      crashed || taken.isLiveCopy || context.anew ? 0 : Math.min(before?.viewedEvents ?? 0, source.end.event);
    if (await takeIn(context, { journal, index, source, untouched })) return journal;
    // Event files that another program removed are written again.
    journal.startMirror(untouched ? written : 0);
    await journal.showSettings();
    return journal;
  } catch (error) {
    await opened?.close().catch(() => {});
    index?.rest();
    giveUpQuietly(taken.ownership);
    throw error;
  }
}

/** Reads the whole log if a short look found lost commits, and keeps what could be restored (decision 27). */
async function restoreLost(
  { disk, path }: TakeOverContext,
  { ownership, damage }: TakenOver,
  journal: FsJournal,
  gap: boolean,
): Promise<void> {
  if (!gap && damage.length === 0) return;
  const restored = await journal.restoredCommits();
  keepRestored(disk, ownership.files, path, restored);
}

interface Opened {
  readonly journal: FsJournal;
  readonly index: IndexFile;
  readonly source: LogSource;
  readonly untouched: boolean;
}

function takeIn(
  { disk, path, report }: TakeOverContext,
  { journal, index, source, untouched }: Opened,
): Promise<boolean> {
  // Reads the whole index, which is not needed for a folder that no other program touched.
  let known: ReturnType<IndexFile['matcher']> | undefined;
  const { end, damage } = source;
  return importForeign({
    disk,
    path,
    journal,
    isOurs: (event, id) => event < end.event && (known ??= index.matcher(end.event))(event, id),
    untouched,
    begun: end.seq === 0 || damage[0]?.from === 0,
    reject: (file) => setAside(disk, path, file),
    report,
  });
}

interface Assembly {
  readonly source: LogSource;
  readonly index: IndexFile;
  readonly kept: readonly KeptState[];
  readonly mirrorMode: MirrorMode;
}

async function assemble(
  context: TakeOverContext,
  { ownership, before }: TakenOver,
  { source, index, kept, mirrorMode }: Assembly,
): Promise<FsJournal> {
  const { disk, path, report } = context;
  const base = ownBaseState(disk, path);
  const head = base?.['leaf_event_id'];
  const fallback = await fallbackIn(new FsReader(disk, path, source), index);
  const namedHead = typeof head === 'string' ? head : null;
  const foreign = (reason: string): void => report({ kind: 'misfit', conversationId: path.id, reason });
  const mirror = new OpenHandsMirror(
    disk,
    path,
    ownership.files,
    { events: source.end.event, namedHead, fallback },
    foreign,
  );
  const shown = shownSeq(context, base);
  const mirroredSeq = shown <= source.end.seq ? shown : -1;
  const eventsModified = before && isSettledBefore(before) ? before.eventsModified : null;
  const parts = { disk, path, ownership, source, index, kept, mirror, mirroredSeq, eventsModified, mirrorMode, report };
  return new FsJournal(parts);
}

/** Resolves with the HEAD that OpenHands takes by itself. Closes the files that were opened to find it. */
async function fallbackIn(reader: FsReader, index: IndexFile): Promise<string | null> {
  try {
    return await fallbackOf(reader);
  } catch (error) {
    index.rest();
    throw error;
  } finally {
    await reader.close();
  }
}

/** Returns the number of commits that whole files show; -1 if a file is not of this conversation, not ours, or damaged. */
function shownSeq({ disk, path, report }: TakeOverContext, base: JsonObject | undefined): number {
  const meta = readJsonObject(disk, path.meta);
  const mark = base && validMark(base);
  const unreadable = (file: string): boolean => disk.stat(file) !== undefined && !readJsonObject(disk, file);
  const damaged = [
    ...(unreadable(path.baseState) || (base && isDamaged(base)) ? ['base_state.json'] : []),
    ...(unreadable(path.meta) || (meta && isDamagedMeta(meta)) ? ['meta.json'] : []),
  ];
  for (const name of damaged) {
    const reason = `${name} is damaged; nothing is taken over from it, and it is written again from the log`;
    report({ kind: 'misfit', conversationId: path.id, reason });
  }
  return mark && meta && validMeta(meta, mark) ? mark.seq : -1;
}

/**
 * Resolves with true if the folder of event files is as its owner left it. Its time shows that, unless the last change before the
 * close was within a step of the file system's clock: then the names of the files are compared.
 */
async function isUntouched(
  disk: Disk,
  path: ConversationPath,
  before: OwnerRecord | undefined,
  index: IndexFile,
): Promise<boolean> {
  if (before?.released !== true) return false;
  const modified = disk.stat(path.events)?.modified ?? null;
  if (before.eventsModified !== modified) return false;
  if (modified === null || isSettledBefore(before)) return true;
  const { viewedEvents } = before;
  return holdsOwnFiles(disk, path, viewedEvents, () => index.matcher(viewedEvents));
}

/** True if a change of the event files after the close gives their folder another time than the owner recorded. */
function isSettledBefore({ released, eventsModified, renewedAt }: OwnerRecord): boolean {
  return released && eventsModified !== null && isSettled(eventsModified, renewedAt);
}

function prepareFolders(disk: Disk, path: ConversationPath, create: 'never' | 'ifMissing' | 'must'): void {
  if (create === 'never' && !isConversation(disk, path)) {
    // an owner that lives has claimed its first epoch, and may be about to begin it
    assertNotOwned(disk, path);
    throw notInStore(path.id);
  }
  if (create === 'must' && (isThere(disk, path) || isBeingMade(disk, path))) throw existsAlready(path.id);
  for (const folder of [path.folder, path.log, path.events]) if (!disk.stat(folder)) makeIfMissing(disk, folder);
}
