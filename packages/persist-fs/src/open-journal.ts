import { StoreError } from '@conv/core/store';
import { newestEpoch } from './chain.ts';
import { CompatibleView } from './compatible-view.ts';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { fallbackOf } from './fallback-head.ts';
import { ifThere } from './from-fs-error.ts';
import { FsJournal } from './journal.ts';
import { journalEnd } from './log-source.ts';
import { openIndex } from './open-index.ts';
import { thisProcess } from './process-identity.ts';
import { FsReader } from './reader.ts';
import { readJsonObject } from './summaries.ts';
import { takeOver, type TakeOverContext } from './take-over.ts';
import { validMark } from './view-state.ts';
import type { ViewMode } from './view-writer.ts';

/** Opens a conversation for writing. */
export async function openJournal(context: TakeOverContext, viewMode: ViewMode): Promise<FsJournal> {
  const { disk, path, options, report } = context;
  prepareFolders(disk, path, options.create ?? 'ifMissing');
  const { ownership, chain, before } = await takeOver(context);
  try {
    const source = { chain, end: journalEnd(ownership.log.end) };
    const crashed = before?.process.bootId !== thisProcess().bootId;
    const index = openIndex(disk, path, source, crashed);
    const base = readJsonObject(disk, path.baseState);
    const mark = base && validMark(base);
    const head = base?.['leaf_event_id'];
    const fallback = await fallbackOf(new FsReader(disk, path, source));
    const namedHead = typeof head === 'string' ? head : null;
    const view = new CompatibleView(disk, path, { events: source.end.event, namedHead, fallback });
    const repairFrom = crashed ? 0 : Math.min(before.viewedEvents, source.end.event);
    return new FsJournal({
      disk,
      path,
      ownership,
      source,
      index,
      view,
      viewedSeq: mark?.seq ?? -1,
      viewMode,
      repairFrom,
      report,
    });
  } catch (error) {
    ownership.release({});
    throw error;
  }
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

function makeIfMissing(disk: Disk, folder: string): void {
  try {
    disk.makeFolder(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
