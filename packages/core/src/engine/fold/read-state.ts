import { toCommitSeq, type CommitSeq, type Damage } from '../../contract/state/log-position.ts';
import type { JournalReader, KeptState } from '../../contract/store/conversation-store.ts';
import { strictSettings } from './strict-settings.ts';
import { unrecorded, withDamage } from './damage-record.ts';
import type { StateFields } from '../../contract/state/fields.ts';
import { foldJournal, loadBranches } from './fold-journal.ts';
import { applyStatePatch, emptyProjection, type Projection } from './projection.ts';
import { lengthOf } from './recent-events.ts';
import { fromSnapshot } from './snapshot.ts';

/** The number of commits before a snapshot that an opening looks through: as many as it folds after a crash. */
const MOST_COMMITS = 256;

/** The approximate number of characters of JSON after which it looks no further. */
const MOST_CHARACTERS = 1024 * 1024;

/** The state of a log, and the damage that it does not record yet. */
export interface ReadState {
  readonly projection: Projection;
  /**
   * The damage without a record. With damage, the settings are the strictest of all known settings. The log does not have them
   * until they are committed again.
   */
  readonly found: readonly Damage[];
}

/**
 * Resolves with the fold of a log up to the commit before `to`, from its snapshot if there is a usable one; default: to its
 * end. Where commits are lost without a record, copies of the state tell their known content, and the policy is AlwaysConfirm
 * (P4).
 */
export async function readState(
  reader: JournalReader,
  options: { readonly to?: CommitSeq | undefined } = {},
): Promise<Projection> {
  return (await readAround(reader, options)).projection;
}

/** Options of reading a state. */
export interface ReadOptions {
  /** The state at the end, of a log that was whole when it was folded. */
  readonly known?: KeptState;
  /** The state before this commit. Default: at the end. */
  readonly to?: CommitSeq | undefined;
}

/** See {@link readState}. */
export async function readAround(reader: JournalReader, { known, to }: ReadOptions = {}): Promise<ReadState> {
  const from = known ? undefined : await startingPoint(reader, to);
  if (!known && !(from && lostBefore(reader, from.end.seq, from.fields).length > 0)) {
    const projection = await foldJournal(reader, { from, to });
    if (lostBefore(reader, to, projection.fields).length === 0) return { projection, found: [] };
  }
  const copies = [...((await reader.kept?.()) ?? [])];
  if (from) copies.push({ seq: from.end.seq, fields: from.fields });
  if (known) copies.push(known);
  return foldAround(reader, copies, to);
}

/** Resolves with the projection of a usable snapshot. The reader then knows damage in the newest commits before it. */
export async function startingPoint(
  reader: JournalReader,
  to: CommitSeq = reader.end.seq,
): Promise<Projection | undefined> {
  const snapshot = await reader.snapshot();
  const from = snapshot && snapshot.seq <= to ? await fromSnapshot(reader, snapshot) : undefined;
  if (from) await lookBefore(reader, from.end.seq);
  return from;
}

/** Reads the newest commits before `seq`, the last ones first. Older commits are read on demand, and by `check`. */
async function lookBefore(reader: JournalReader, seq: CommitSeq): Promise<void> {
  const first = Math.max(0, seq - MOST_COMMITS);
  let [to, characters]: [number, number] = [seq, 0];
  for (let width = 2; to > first && characters < MOST_CHARACTERS; width *= 2) {
    const range = { from: toCommitSeq(Math.max(first, to - width)), to: toCommitSeq(to) };
    if (reader.verify) characters += await reader.verify(range.from, range.to);
    else for await (const { events, patch = null } of reader.commits(range)) characters += lengthOf([events, patch]);
    to = range.from;
  }
}

/** Folds the log. If a copy shows that commits are lost, the copy's settings hold from there on. */
async function foldAround(
  reader: JournalReader,
  copies: readonly KeptState[],
  to: CommitSeq | undefined,
): Promise<ReadState> {
  let projection = emptyProjection;
  for (const copy of copies.toSorted((a, b) => a.seq - b.seq)) {
    if (copy.seq > (to ?? reader.end.seq)) continue;
    projection = await foldJournal(reader, { from: projection, to: copy.seq });
    if (lostBefore(reader, copy.seq, projection.fields).length > 0)
      projection = await withCopy(reader, projection, copy);
  }
  projection = await foldJournal(reader, { from: projection, to });
  const found = lostBefore(reader, to, projection.fields);
  if (found.length === 0) return { projection, found };
  return { projection: { ...projection, fields: distrusted(projection.fields, found) }, found };
}

/** Returns damage before `seq` that `fields` do not record. */
function lostBefore({ damage }: JournalReader, seq: number | undefined, fields: StateFields): readonly Damage[] {
  return unrecorded(
    damage.filter(({ from }) => seq === undefined || from < seq),
    fields.damage,
  );
}

/** Returns the projection with the content of a whole copy, and no setting weaker than in either. */
async function withCopy(reader: JournalReader, before: Projection, { fields }: KeptState): Promise<Projection> {
  const { leafEventId = null, damage: _, ...said } = fields;
  const strict = strictSettings({ ...before.fields, ...said }, before.fields);
  const there = leafEventId !== null && (await reader.locate(leafEventId)) !== undefined;
  const head = there ? leafEventId : before.fields.leafEventId;
  const lookup = await loadBranches(reader, [{ leaf: head }]);
  const { executionStatus = before.fields.executionStatus } = fields;
  return applyStatePatch(before, { set: { ...said, ...strict, executionStatus, leafEventId: head } }, lookup);
}

/** A lost commit may have made settings stricter than all known settings. */
function distrusted(fields: StateFields, found: readonly Damage[]): StateFields {
  return {
    ...fields,
    damaged: true,
    damage: withDamage(fields.damage, found),
    confirmationPolicy: { kind: 'AlwaysConfirm' },
  };
}
