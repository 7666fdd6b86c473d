import { randomUUID } from 'node:crypto';
import type { StatePatch } from '@conv/core';
import { StoreError } from '@conv/core/store';
import { newestEpoch } from './chain.ts';
import { CompatibleView } from './compatible-view.ts';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { fallbackOf } from './fallback-head.ts';
import { setAside } from './foreign-events.ts';
import { ifThere } from './from-fs-error.ts';
import { importForeign } from './import-foreign.ts';
import type { IndexFile } from './index-file.ts';
import { FsJournal } from './journal.ts';
import { journalEnd, type LogSource } from './log-source.ts';
import { makeIfMissing } from './make-folder.ts';
import { giveUpQuietly } from './ownership.ts';
import { openIndex } from './open-index.ts';
import type { OwnerRecord } from './owner-file.ts';
import { thisProcess } from './process-identity.ts';
import { FsReader } from './reader.ts';
import { dropSnapshot } from './snapshot-file.ts';
import { readJsonObject } from './summaries.ts';
import { takeOver, type TakenOver, type TakeOverContext } from './take-over.ts';
import { validMark } from './view-state.ts';
import type { ViewMode } from './view-writer.ts';

/** Opens a conversation for writing. What OpenHands wrote into its folder is part of the log when it resolves. */
export async function openJournal(context: TakeOverContext, viewMode: ViewMode): Promise<FsJournal> {
  const { disk, path, options, report } = context;
  prepareFolders(disk, path, options.create ?? 'ifMissing');
  const taken = await takeOver(context);
  let opened: FsJournal | undefined;
  try {
    const crashed = taken.before?.process.bootId !== thisProcess().bootId;
    const source = { chain: taken.chain, end: journalEnd(taken.ownership.log.end) };
    const index = openIndex(disk, path, source, crashed);
    const journal = (opened = await assemble(context, taken, source, index, viewMode));
    const endIsLost = taken.readableSeq < source.end.seq;
    // Reads the whole index, for which a folder that nobody touched gives no reason.
    let known: ReturnType<IndexFile['matcher']> | undefined;
    const written = crashed ? 0 : Math.min(taken.before?.viewedEvents ?? 0, source.end.event);
    const imported = await importForeign({
      disk,
      path,
      journal,
      written,
      isOurs: (event, id) => event < source.end.event && (known ??= index.matcher(source.end.event))(event, id),
      untouched: !endIsLost && isUntouched(disk, path, taken.before),
      reject: (file) => setAside(disk, path, file),
      report,
    });
    if (!imported) {
      journal.startView(written);
      await journal.showSettings();
    }
    if (endIsLost) {
      // It may hold what the lost commits said.
      dropSnapshot(disk, path);
      await distrust(journal);
    }
    return journal;
  } catch (error) {
    await opened?.close().catch(() => {});
    giveUpQuietly(taken.ownership);
    throw error;
  }
}

async function assemble(
  context: TakeOverContext,
  taken: TakenOver,
  source: LogSource,
  index: IndexFile,
  viewMode: ViewMode,
): Promise<FsJournal> {
  const { disk, path, report } = context;
  const { ownership, before } = taken;
  const base = readJsonObject(disk, path.baseState);
  const head = base?.['leaf_event_id'];
  const fallback = await fallbackIn(new FsReader(disk, path, source), index);
  const namedHead = typeof head === 'string' ? head : null;
  const foreign = (reason: string): void => report({ kind: 'misfit', conversationId: path.id, reason });
  const view = new CompatibleView(
    disk,
    path,
    ownership.files,
    { events: source.end.event, namedHead, fallback },
    foreign,
  );
  const viewedSeq = (base && validMark(base)?.seq) ?? -1;
  const eventsModified = before?.released ? before.eventsModified : null;
  return new FsJournal({ disk, path, ownership, source, index, view, viewedSeq, eventsModified, viewMode, report });
}

/** The HEAD that OpenHands takes by itself. What was opened to find it is given back. */
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

/** The end of the log is lost. It may have held a stricter policy, so that nothing runs unasked until the policy is set again. */
async function distrust(journal: FsJournal): Promise<void> {
  // The first commit, which says whose the log is, may be among them.
  const patch: StatePatch = {
    set: { id: journal.id, damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } },
  };
  await journal.store({ id: randomUUID(), events: [], patch });
}

/** Whether the folder of event files is as its owner left it. */
function isUntouched(disk: Disk, path: ConversationPath, before: OwnerRecord | undefined): boolean {
  return before?.released === true && before.eventsModified === (disk.stat(path.events)?.modified ?? null);
}

/** Whether there is a conversation: a log with a beginning, or files of OpenHands. */
export function isConversation(disk: Disk, path: ConversationPath): boolean {
  if (newestEpoch(disk, path) !== undefined) return true;
  if (disk.stat(path.baseState) ?? disk.stat(path.meta)) return true;
  return (ifThere(() => disk.list(path.events)) ?? []).some((name) => name.endsWith('.json'));
}

function prepareFolders(disk: Disk, path: ConversationPath, create: 'never' | 'ifMissing' | 'must'): void {
  const there = isConversation(disk, path);
  if (!there && create === 'never') throw new StoreError('NOT_FOUND', `conversation ${path.id}`);
  if (there && create === 'must') throw new StoreError('EXISTS', `conversation ${path.id}`);
  for (const folder of [path.folder, path.log, path.events]) if (!disk.stat(folder)) makeIfMissing(disk, folder);
}
