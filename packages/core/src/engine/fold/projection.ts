import { isEvent, type Event } from '../../events/index.ts';
import { movesHead } from '../../events/guards.ts';
import type { Commit } from '../../contract/store/commit.ts';
import { toCommitSeq, toEventIndex, type EventIndex } from '../../contract/state/log-position.ts';
import type { JournalEnd } from '../../contract/store/conversation-store.ts';
import { answeredBy, applyToBranch, emptyBranch, pendingCalls, type BranchState } from './branch.ts';
import { initialFields, type StateFields } from '../../contract/state/fields.ts';
import { applyPatch, type StatePatch } from '../../contract/state/patch.ts';
import { addToUsage } from './stats.ts';
import { statusAfter, statusAfterMove } from './status.ts';
import { parentOf } from './tree.ts';

/** Everything derived from a log up to some commit, except the events themselves. A value; never changed in place. */
export interface Projection {
  readonly fields: StateFields;
  /** The live branch: the path from the root to `fields.leafEventId`. */
  readonly branch: BranchState;
  readonly end: JournalEnd;
  /** The timestamp of the last event, which the next one must exceed; `''` before the first. */
  readonly lastTimestamp: string;
}

/** The projection before the first commit. */
export const emptyProjection: Projection = Object.freeze({
  fields: initialFields,
  branch: emptyBranch,
  end: { seq: toCommitSeq(0), event: toEventIndex(0) },
  lastTimestamp: '',
});

/**
 * Returns the state of another branch, by its leaf; `null` is the leaf before the first event. `undefined`: damage took that
 * leaf, and its next event is bridged to the newest event that survives.
 */
export type BranchLookup = (leaf: string | null) => BranchState | undefined;

/**
 * Returns the projection with one more commit: first its events, then its records, then its patch. O(content of the commit).
 * `lookup` is called for each leaf, except the current one, that an event or the patch continues from.
 */
export function applyCommit(before: Projection, commit: Commit, lookup: BranchLookup): Projection {
  let after = commit.seq === before.end.seq ? before : { ...before, fields: distrust(before.fields) };
  commit.events.forEach((event, offset) => {
    after = applyEvent(after, event, toEventIndex(commit.firstEvent + offset), lookup);
  });
  let { stats } = after.fields;
  for (const record of commit.records ?? [])
    stats = { ...stats, [record.usageId]: addToUsage(stats[record.usageId], record) };
  const fields = stats === after.fields.stats ? after.fields : { ...after.fields, stats };
  const end = { seq: toCommitSeq(commit.seq + 1), event: toEventIndex(commit.firstEvent + commit.events.length) };
  return applyStatePatch({ ...after, fields, end }, commit.patch, lookup);
}

export function applyEvent(before: Projection, event: Event, index: EventIndex, lookup: BranchLookup): Projection {
  const lastTimestamp = event.timestamp > before.lastTimestamp ? event.timestamp : before.lastTimestamp;
  const end = { ...before.end, event: toEventIndex(index + 1) };
  if (!movesHead(event)) return { ...before, end, lastTimestamp };
  const moved = moveHead(before, parentOf(event, index === 0 ? null : before.fields.leafEventId), lookup);
  const branch = applyToBranch(moved.branch, event, index);
  const answered = answeredBy(moved.branch, event);
  const pending = branch.open.size === 0 ? 0 : pendingCalls(branch).length;
  // one copy of the fields: most of the time of folding a log is spent on it
  const fields: StateFields = {
    ...moved.fields,
    executionStatus: statusAfter(moved.fields.executionStatus, event, { pending }),
    leafEventId: event.id,
    headIsEmpty: false,
    invokedSkills: invokedAfter(moved.fields.invokedSkills, event),
    lastUserMessageId: isUserMessage(event) ? event.id : moved.fields.lastUserMessageId,
  };
  return { fields: answered === undefined ? fields : settled(fields, answered), branch, end, lastTimestamp };
}

export function applyStatePatch(before: Projection, patch: StatePatch | undefined, lookup: BranchLookup): Projection {
  if (!patch) return before;
  const fields = applyPatch(before.fields, patch);
  if (fields.leafEventId === before.fields.leafEventId) return { ...before, fields };
  const moved = moveHead(before, fields.leafEventId, lookup);
  const executionStatus = patch.set?.executionStatus ?? moved.fields.executionStatus;
  return { ...moved, fields: { ...fields, executionStatus, leafEventId: moved.fields.leafEventId } };
}

/** A leaf that {@link applyCommit} will look up. */
export interface LeafNeeded {
  readonly leaf: string | null;
  /** The number of the event that continues from it. Where damage took the leaf, the nearest older event replaces it. */
  readonly child?: EventIndex;
}

/** Returns the leaves, except the current one, that {@link applyCommit} will look up, in the order of need. */
export function leavesNeeded(
  before: Projection,
  commit: Pick<Commit, 'events' | 'patch' | 'firstEvent'>,
): readonly LeafNeeded[] {
  const needed: LeafNeeded[] = [];
  let leaf = before.fields.leafEventId;
  commit.events.forEach((event, offset) => {
    if (!movesHead(event)) return;
    const index = toEventIndex(commit.firstEvent + offset);
    const parent = parentOf(event, index === 0 ? null : leaf);
    if (parent !== leaf) needed.push({ leaf: parent, child: index });
    leaf = event.id;
  });
  const set = commit.patch?.set?.leafEventId;
  const target = commit.patch?.unset?.includes('leafEventId') ? (set ?? null) : set;
  if (target !== undefined && target !== leaf) needed.push({ leaf: target });
  return needed;
}

function moveHead(before: Projection, leaf: string | null, lookup: BranchLookup): Projection {
  if (leaf === before.fields.leafEventId) return before;
  const branch = lookup(leaf);
  if (!branch) return before;
  const executionStatus = statusAfterMove(before.fields.executionStatus, { pending: pendingCalls(branch).length });
  return { ...before, branch, fields: { ...before.fields, leafEventId: leaf, executionStatus } };
}

/** Returns the projection when the commits up to `end` are lost. */
export function skipLost(before: Projection, end: JournalEnd): Projection {
  return { ...before, end, fields: distrust(before.fields) };
}

/** A lost commit may have made settings stricter, so every call needs confirmation until the policy is set again (P4). */
function distrust(fields: StateFields): StateFields {
  return { ...fields, damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } };
}

function isUserMessage(event: Event): boolean {
  return isEvent(event, 'MessageEvent') && event.source === 'user';
}

/** Removes approval and rating of a call that has its result. */
function settled(fields: StateFields, action: string): StateFields {
  const { calls, assessments } = fields;
  if (!(action in calls || action in assessments)) return fields;
  return { ...fields, calls: without(calls, action), assessments: without(assessments, action) };
}

function without<Value>(map: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  if (!(key in map)) return map;
  const { [key]: _, ...rest } = map;
  return rest;
}

/** Returns the skills whose text the model requested, and the skill of this event; the same list when the event adds none. */
function invokedAfter(invoked: readonly string[], event: Event): readonly string[] {
  if (!isEvent(event, 'ObservationEvent') || event.observation.kind !== 'InvokeSkillObservation') return invoked;
  const { skill_name: name, is_error: failed } = event.observation;
  return typeof name !== 'string' || failed === true || invoked.includes(name) ? invoked : [...invoked, name];
}
