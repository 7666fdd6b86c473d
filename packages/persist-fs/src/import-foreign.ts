import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { foldJournal, initialFields, type JsonObject, type StateFields, type StatePatch } from '@conv/core';
import type { Event } from '@conv/core/events';
import { callRecordsOf, diffFields, fromBaseState, fromMeta, toMeta } from '@conv/core/openhands';
import type { NewCommit } from '@conv/core/store';
import { viewName } from './compatible-view.ts';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import type { Report } from './finding.ts';
import { foreignFiles, setAside, type ForeignFile } from './foreign-events.ts';
import type { IndexFile } from './index-file.ts';
import type { FsJournal } from './journal.ts';
import type { OwnerRecord } from './owner-file.ts';
import { readJsonObject } from './summaries.ts';
import { metaCrc, validMark } from './view-state.ts';

const EVENTS_PER_COMMIT = 256;

/** What {@link importForeign} works on. */
export interface ImportContext {
  readonly disk: Disk;
  readonly path: ConversationPath;
  readonly journal: FsJournal;
  readonly index: IndexFile;
  /** What the owner before left word of. */
  readonly before: OwnerRecord | undefined;
  /** The end of the log is damaged: events may be left in their files alone. */
  readonly endIsLost: boolean;
  readonly report: Report;
}

/**
 * Takes what OpenHands wrote into the log: first its events, each behind the last one, then how its state differs. Until the
 * view is written again the files are as they were found, so that an import that is cut off is gone on with by the next.
 * Resolves whether there was anything; then the view is written.
 */
export async function importForeign(context: ImportContext): Promise<boolean> {
  const { disk, path, journal, report } = context;
  const files = await importableFiles(context);
  const state = foreignState(disk, path, journal.end.seq === 0);
  const begun = journal.end.seq === 0;
  if (begun) {
    if (files.events.length === 0 && !state.files) return false;
    await begin(context, state);
  }
  await appendEvents(journal, files.events);
  const stateChanged = await importState(context, state);
  if (files.events.length === 0 && !stateChanged && !begun) return false;
  journal.startView(0);
  await journal.viewComplete();
  for (const { name, at, event } of files.placed)
    if (name !== viewName(at, event.id)) disk.remove(join(path.events, name));
  report({
    kind: 'imported',
    conversationId: path.id,
    events: files.events.length,
    stateChanged: stateChanged || begun,
  });
  return true;
}

interface Importable {
  readonly events: readonly Event[];
  readonly placed: readonly { readonly name: string; readonly at: number; readonly event: Event }[];
}

/** The foreign events in the order in which they enter the log, parents bridged over what is missing. */
async function importableFiles(context: ImportContext): Promise<Importable> {
  const { disk, path, journal, index, before } = context;
  const { event: end } = journal.end;
  const folder = disk.stat(path.events);
  const untouched = before?.released && before.eventsModified === folder?.modified && !context.endIsLost;
  if (!folder || untouched) return { events: [], placed: [] };
  const known = index.matcher(end);
  const found = foreignFiles(disk, path, (at, id) => at < end && known(at, id));
  const events: Event[] = [];
  const placed: Importable['placed'][number][] = [];
  const added = new Set<string>();
  for (const file of found) {
    const event = await admit(context, file, added);
    if (!event) continue;
    const bridged = await bridge(journal, event, added, events.at(-1)?.id ?? (await lastId(journal)));
    reportMove(context, file.index, end + events.length);
    placed.push({ name: file.name, at: end + events.length, event: bridged });
    events.push(bridged);
    added.add(event.id);
  }
  return { events, placed };
}

/** The event of a file, unless it holds none or one that is in the log already. */
async function admit(
  { disk, path, journal, report }: ImportContext,
  file: ForeignFile,
  added: ReadonlySet<string>,
): Promise<Event | undefined> {
  const { event, name, index } = file;
  const at = event && (await journal.locate(event.id));
  if (event && at === undefined && !added.has(event.id)) return event;
  // The file of an event whose id is no part of its name.
  if (event && at === index) return undefined;
  const reason = event ? `${name} holds an event that is stored as another one` : `${name} holds no event`;
  report({ kind: 'misfit', conversationId: path.id, reason: `${reason}; it was put into .conv/foreign` });
  setAside(disk, path, join(path.events, name));
  return undefined;
}

/** The event with a parent that is there: the one it names, else the nearest earlier event that survives. */
async function bridge(
  journal: FsJournal,
  event: Event,
  added: ReadonlySet<string>,
  previous: string | undefined,
): Promise<Event> {
  const parent = event.parent_id;
  if (parent === undefined || parent === null || parent === '__root__' || added.has(parent)) return event;
  if ((await journal.locate(parent)) !== undefined) return event;
  return { ...event, parent_id: previous ?? '__root__' };
}

async function lastId(journal: FsJournal): Promise<string | undefined> {
  let last: string | undefined;
  const { event } = journal.end;
  if (event === 0) return undefined;
  for await (const { events } of journal.commits({ fromEvent: (event - 1) as typeof event }))
    last = events.at(-1)?.id ?? last;
  return last;
}

function reportMove({ path, report }: ImportContext, wasAt: number, isAt: number): void {
  if (wasAt === isAt) return;
  report({ kind: 'misfit', conversationId: path.id, reason: `the event with number ${wasAt} is now number ${isAt}` });
}

async function appendEvents(journal: FsJournal, events: readonly Event[]): Promise<void> {
  for (let at = 0; at < events.length; at += EVENTS_PER_COMMIT) {
    await journal.store({ id: randomUUID(), events: events.slice(at, at + EVENTS_PER_COMMIT) });
  }
}

/** The state files as found. */
interface ForeignState {
  /** Whether there are any. */
  readonly files: boolean;
  readonly base: JsonObject | undefined;
  readonly meta: JsonObject | undefined;
  readonly baseIsForeign: boolean;
  readonly metaIsForeign: boolean;
  /** The files are ours, and there was a log. */
  readonly logIsLost: boolean;
}

/** Without a log the files are all there is, whoever wrote them. */
function foreignState(disk: Disk, path: ConversationPath, alone: boolean): ForeignState {
  const base = readJsonObject(disk, path.baseState);
  const meta = readJsonObject(disk, path.meta);
  const mark = base && validMark(base);
  return {
    files: disk.stat(path.baseState) !== undefined || disk.stat(path.meta) !== undefined,
    base,
    meta,
    baseIsForeign: base !== undefined && (alone || mark === undefined),
    metaIsForeign: meta !== undefined && (alone || mark?.meta !== metaCrc(meta)),
    logIsLost: alone && mark !== undefined,
  };
}

/** What the foreign files say of the state. */
function statedFields({ base, meta, baseIsForeign, metaIsForeign }: ForeignState): Partial<StateFields> {
  const ofBase = base && baseIsForeign ? fromBaseState(base) : {};
  const ofMeta = meta && metaIsForeign ? fromMeta(meta) : {};
  const baseState = ofBase.extra?.baseState ?? {};
  const extra = ofBase.extra || ofMeta.extra ? { extra: { baseState, meta: ofMeta.extra?.meta ?? {} } } : {};
  return { ...ofBase, ...ofMeta, ...extra };
}

/** Commit 0 of a folder that OpenHands made. Without a readable state nothing is known of its rules, so everything is asked. */
async function begin({ journal, path, disk }: ImportContext, state: ForeignState): Promise<void> {
  const stated = statedFields(state);
  const createdAt = new Date(disk.stat(path.folder)?.modified ?? Date.now()).toISOString();
  const unknown: Partial<StateFields> = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } };
  const fields: StateFields = {
    ...initialFields,
    createdAt,
    ...stated,
    ...(state.base && !state.logIsLost ? {} : unknown),
    id: path.id,
    // The events move these, as they did when they were written.
    leafEventId: null,
    headIsEmpty: false,
    lastUserMessageId: null,
  };
  const records = callRecordsOf(state.base?.['stats']);
  const commit: NewCommit = {
    id: randomUUID(),
    events: [],
    patch: { set: fields },
    ...(records.length > 0 ? { records } : {}),
  };
  await journal.store(commit);
}

/** Commits how the state that OpenHands saved differs from the log's. */
async function importState({ journal }: ImportContext, state: ForeignState): Promise<boolean> {
  if (state.logIsLost || (!state.baseIsForeign && !state.metaIsForeign)) return false;
  const { fields } = await foldJournal(journal);
  // With `base_state.json` the mark is gone that told whether `meta.json` is ours.
  const metaIsForeign =
    state.metaIsForeign && state.meta !== undefined && metaCrc(state.meta) !== metaCrc(toMeta(fields, ''));
  if (!state.baseIsForeign && !metaIsForeign) return false;
  const { id: _, leafEventId, ...stated } = statedFields(state);
  const head = leafEventId && (await journal.locate(leafEventId)) !== undefined ? { leafEventId } : {};
  const kept = stated.extra && {
    extra: {
      baseState: state.baseIsForeign ? stated.extra.baseState : fields.extra.baseState,
      meta: state.metaIsForeign ? stated.extra.meta : fields.extra.meta,
    },
  };
  const patch: StatePatch | undefined = diffFields(fields, {
    ...stated,
    ...head,
    ...(stated.headIsEmpty ? { leafEventId: null } : {}),
    ...kept,
  });
  if (!patch) return false;
  await journal.store({ id: randomUUID(), events: [], patch });
  return true;
}
