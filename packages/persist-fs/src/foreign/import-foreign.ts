import { join } from 'node:path';
import {
  projections,
  foldJournal,
  initialFields,
  type JsonObject,
  type StateFields,
  type StatePatch,
} from '@conv/core';
import type { Event } from '@conv/core/events';
import { callRecordsOf, diffFields, toMeta } from '@conv/openhands/folder';
import {
  toCommitSeq,
  toEventIndex,
  type Commit,
  type Damage,
  type JournalReader,
  type NewCommit,
} from '@conv/core/store';
import { mirrorName } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { Report } from '../disk/finding.ts';
import { foreignFiles, type ForeignFile } from '../mirror/foreign-events.ts';
import { assertOfConversation } from './foreign-id.ts';
import { foreignState, statedFields, withoutUnsaid, type ForeignState } from './foreign-state.ts';
import { resolveHead, type Head } from './resolve-head.ts';
import { isStandIn } from '@conv/store-kit';
import { readJsonObject } from '../disk/json-file.ts';
import { metaCrc, metaText, validMark } from '../mirror/mirror-state.ts';

const EVENTS_PER_COMMIT = 256;
const BYTES_PER_COMMIT = 4 * 1024 * 1024;

/** The log that takes commits made of foreign files. */
export interface ImportTarget extends JournalReader {
  store(commit: NewCommit): Promise<Commit>;
}

/** A journal that also writes OpenHands' files. */
interface MirroredTarget extends ImportTarget {
  /** Takes all files from event number `from` on as not written yet. */
  startMirror(repairFrom: number): void;
  /** Resolves when the files show the whole log. */
  mirrorComplete(): Promise<void>;
}

/** The input of {@link commitForeign}. */
export interface ImportContext<Target extends ImportTarget = ImportTarget> {
  readonly disk: Disk;
  readonly path: ConversationPath;
  readonly journal: Target;
  /** Returns true if the log holds this event, so that its file is not foreign. */
  readonly isOurs: (index: number, id: string) => boolean;
  /** True if nothing of a log can be read, so that the log begins here. */
  readonly begun: boolean;
  /** True if no other program changed the folder of event files. */
  readonly untouched: boolean;
  /** Called with the path of a file that is not part of the log but would be taken for an event. */
  readonly reject: (file: string) => void;
  readonly report: Report;
}

/**
 * Takes what OpenHands wrote into the log: first its events, each after the last one, then the differences of its
 * state (decision 12). Until our files are written again the folder stays as it was found, so the next import continues
 * with an import that was cut off. Resolves with true if there was anything to import; our files are then written.
 */
export async function importForeign(context: ImportContext<MirroredTarget>): Promise<boolean> {
  const { disk, path, journal } = context;
  const placed = await commitForeign(context);
  if (!placed) return false;
  journal.startMirror(0);
  await journal.mirrorComplete();
  // Files under other names go last, so that a reader of the folder finds every event at every moment.
  for (const { name, at, event } of placed) if (name !== mirrorName(at, event.id)) disk.remove(join(path.events, name));
  return true;
}

/** Commits the foreign files of a folder. Resolves with the places of their events; `undefined` if there was nothing. */
export async function commitForeign(context: ImportContext): Promise<readonly Placed[] | undefined> {
  const { disk, path, report, begun } = context;
  if (begun) assertOfConversation(path, readJsonObject(disk, path.baseState));
  const { events, placed } = await importableFiles(context);
  const state = foreignState(context);
  if (begun) {
    if (events.length === 0 && !state.files) return undefined;
    await begin(context, state, placed);
  }
  await appendEvents(context, events);
  const stateChanged = (await importState(context, state)) || begun;
  if (events.length === 0 && !stateChanged) return undefined;
  report({ kind: 'imported', conversationId: path.id, events: events.length, stateChanged });
  return placed;
}

/** The file of an event and its number in the log. */
export interface Placed {
  readonly name: string;
  readonly at: number;
  readonly event: Event;
}

interface Importable {
  readonly events: readonly Event[];
  readonly placed: readonly Placed[];
}

/** Resolves with the foreign events in the order in which they enter the log. Missing parents are bridged over. */
async function importableFiles(context: ImportContext): Promise<Importable> {
  const { disk, path, journal } = context;
  const { event: end } = journal.end;
  const found = context.untouched ? [] : foreignFiles(disk, path, context.isOurs);
  const events: Event[] = [];
  const placed: Placed[] = [];
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

/** Resolves with the event of a file, unless the file holds none, or an event that is in the log already. */
async function admit(
  { path, journal, report, reject }: ImportContext,
  file: ForeignFile,
  added: ReadonlySet<string>,
): Promise<Event | undefined> {
  const { event, name, index } = file;
  if (event && index < journal.end.event && isStandIn(event)) {
    // A stand-in whose event came back is in the way of the event's file (decision 54).
    if (await holds(journal, index)) reject(join(path.events, name));
    return undefined;
  }
  const at = event && (await journal.locate(event.id));
  if (event && at === undefined && !added.has(event.id)) return event;
  // The file of an event whose id is not part of its name.
  if (event && at === index) return undefined;
  const reason = event ? `${name} holds an event that is stored as another one` : `${name} holds no event`;
  report({ kind: 'misfit', conversationId: path.id, reason: `${reason} and is left out` });
  reject(join(path.events, name));
  return undefined;
}

async function holds(journal: ImportTarget, index: number): Promise<boolean> {
  const range = { fromEvent: toEventIndex(index), toEvent: toEventIndex(index + 1) };
  for await (const { firstEvent, events } of journal.commits(range)) if (events[index - firstEvent]) return true;
  return false;
}

/** Resolves with the event and a parent that is there: the named one, else the nearest earlier event that survives. */
async function bridge(
  journal: ImportTarget,
  event: Event,
  added: ReadonlySet<string>,
  previous: string | undefined,
): Promise<Event> {
  const parent = event.parent_id;
  if (parent === undefined || parent === null || parent === '__root__' || added.has(parent)) return event;
  if ((await journal.locate(parent)) !== undefined) return event;
  return { ...event, parent_id: previous ?? '__root__' };
}

async function lastId(journal: ImportTarget): Promise<string | undefined> {
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

async function appendEvents({ journal, disk }: ImportContext, events: readonly Event[]): Promise<void> {
  let block: Event[] = [];
  let bytes = 0;
  for (const event of events) {
    block.push(event);
    bytes += JSON.stringify(event).length;
    if (block.length < EVENTS_PER_COMMIT && bytes < BYTES_PER_COMMIT) continue;
    await journal.store({ id: disk.platform.id(), events: block });
    block = [];
    bytes = 0;
  }
  if (block.length > 0) await journal.store({ id: disk.platform.id(), events: block });
}

/**
 * Stores the first commit of a folder whose log is not there. Without a readable state every call needs approval. If there
 * was a log, the events of the files are its events: the commit records that these were restored (decision 27).
 */
async function begin(
  { journal, path, disk }: ImportContext,
  state: ForeignState,
  placed: readonly Placed[],
): Promise<void> {
  const stated = statedFields(state);
  const createdAt = new Date(disk.stat(path.folder)?.modified ?? disk.platform.now()).toISOString();
  const unknown: Partial<StateFields> = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } };
  const fields: StateFields = {
    ...initialFields,
    createdAt,
    ...stated,
    ...(state.base && !state.logIsLost ? {} : unknown),
    ...(placed.length > 0 && { damage: withRestored(journal.damage, placed) }),
    id: path.id,
    // The events that follow move these fields, as they did when they were written.
    leafEventId: null,
    headIsEmpty: false,
    lastUserMessageId: null,
  };
  const records = callRecordsOf(state.base?.['stats']);
  const commit: NewCommit = {
    id: disk.platform.id(),
    events: [],
    patch: { set: fields },
    ...(records.length > 0 ? { records } : {}),
  };
  await journal.store(commit);
}

/** Returns the spans of a log that is lost as a whole, with the events that its event files bring back. */
function withRestored(lost: readonly Damage[], placed: readonly Placed[]): readonly Damage[] {
  return lost.map((span) => ({ ...span, restored: [...span.restored, ...placed.map(({ at }) => toEventIndex(at))] }));
}

/**
 * Resolves with the state at the end, and whether `meta.json` shows it or an earlier state since the mark. `meta.json`
 * is replaced before `base_state.json` with the mark: a crash may leave it newer than the mark and older than the log.
 */
async function foldBeside(
  journal: ImportTarget,
  { base, meta }: ForeignState,
): Promise<{ fields: StateFields; metaIsOurs: boolean }> {
  const from = toCommitSeq(Math.min((base && validMark(base)?.seq) ?? Infinity, journal.end.seq));
  let state = await foldJournal(journal, { to: from });
  const crc = meta && metaCrc(meta);
  // Files of older versions have no check value.
  const shows = (): boolean =>
    metaCrc(toMeta(state.fields, '')) === crc || metaCrc(JSON.parse(metaText(state.fields, '')) as JsonObject) === crc;
  let metaIsOurs = shows();
  for await (const commit of journal.commits({ from })) {
    state = await projections.foldCommit(journal, state, commit);
    metaIsOurs ||= shows();
  }
  return { fields: state.fields, metaIsOurs };
}

/** Commits the differences between the log's state and the state that OpenHands saved. Resolves with false if there are none. */
async function importState(context: ImportContext, state: ForeignState): Promise<boolean> {
  const { journal } = context;
  if (!state.baseIsForeign && !state.metaIsForeign) return false;
  if (state.logIsLost) return changeState(context, (await foldJournal(journal)).fields, await headOf(context, state));
  const { fields, metaIsOurs } = await foldBeside(journal, state);
  const metaIsForeign = state.metaIsForeign && !metaIsOurs;
  if (!state.baseIsForeign && !metaIsForeign) return false;
  const { id: _, leafEventId: _head, ...said } = statedFields({ ...state, metaIsForeign });
  const stated = withoutUnsaid(said, state.base);
  const kept = stated.extra && {
    extra: {
      baseState: state.baseIsForeign ? stated.extra.baseState : fields.extra.baseState,
      // a server of OpenHands writes no member that it does not know
      meta: { ...fields.extra.meta, ...(metaIsForeign ? stated.extra.meta : {}) },
    },
  };
  return changeState(context, fields, { ...stated, ...(await headOf(context, state)), ...kept });
}

/** Resolves with HEAD by the foreign state; a named HEAD that does not exist is ignored. */
async function headOf({ journal, begun }: ImportContext, { base, baseIsForeign }: ForeignState): Promise<Head> {
  const found = base && baseIsForeign ? await resolveHead(journal, base) : undefined;
  return found ?? (begun ? await resolveHead(journal, {}) : undefined) ?? {};
}

async function changeState(
  { journal, disk }: ImportContext,
  fields: StateFields,
  stated: Partial<StateFields>,
): Promise<boolean> {
  const patch: StatePatch | undefined = diffFields(fields, stated);
  if (!patch) return false;
  await journal.store({ id: disk.platform.id(), events: [], patch });
  return true;
}
