import type { Damage, JournalReader, KeptState } from '../store/conversation-store.ts';
import { strictSettings } from '../policy/strict-settings.ts';
import { unrecorded, withDamage } from './damage-record.ts';
import type { StateFields } from './fields.ts';
import { foldJournal, loadBranches } from './fold-journal.ts';
import { applyStatePatch, emptyProjection, type Projection } from './projection.ts';
import { fromSnapshot } from './snapshot.ts';

/** The state of a log, and the damage that is not on record in it yet. */
export interface ReadState {
  readonly projection: Projection;
  /** Its settings are the strictest of all that is known; they are not in the log until they are committed again. */
  readonly found: readonly Damage[];
}

/**
 * The state of a log at its end: from its snapshot, if there is a usable one, and the commits after it. Where commits are lost
 * that are not on record, copies of the state tell what is known of them, and the policy is AlwaysConfirm (P4).
 */
export async function readState(reader: JournalReader): Promise<Projection> {
  return (await readAround(reader)).projection;
}

/** See {@link readState}. `known`: the state at the end, of a log that was whole when it was folded. */
export async function readAround(reader: JournalReader, known?: KeptState): Promise<ReadState> {
  const snapshot = known ? undefined : await reader.snapshot();
  const from = await fromSnapshot(reader, snapshot);
  if (!known && !(from && lostBefore(reader, from.end.seq, from.fields).length > 0)) {
    const projection = await foldJournal(reader, from ? { from } : {});
    if (unrecorded(reader.damage, projection.fields.damage).length === 0) return { projection, found: [] };
  }
  const copies = [...((await reader.kept?.()) ?? [])];
  if (from) copies.push({ seq: from.end.seq, fields: from.fields });
  if (known) copies.push(known);
  return foldAround(reader, copies);
}

/** Folds the whole log. Where a copy shows commits that are lost, its settings hold from there on. */
async function foldAround(reader: JournalReader, copies: readonly KeptState[]): Promise<ReadState> {
  let projection = emptyProjection;
  for (const copy of copies.toSorted((a, b) => a.seq - b.seq)) {
    if (copy.seq > reader.end.seq) continue;
    projection = await foldJournal(reader, { from: projection, to: copy.seq });
    if (lostBefore(reader, copy.seq, projection.fields).length > 0)
      projection = await withCopy(reader, projection, copy);
  }
  projection = await foldJournal(reader, { from: projection });
  const found = unrecorded(reader.damage, projection.fields.damage);
  if (found.length === 0) return { projection, found };
  return { projection: { ...projection, fields: distrusted(projection.fields, found) }, found };
}

/** Damage in front of `seq` that `fields` do not know of. */
function lostBefore({ damage }: JournalReader, seq: number, fields: StateFields): readonly Damage[] {
  return unrecorded(
    damage.filter(({ from }) => from < seq),
    fields.damage,
  );
}

/** The projection with what a whole copy says, and no setting weaker than in either. */
async function withCopy(reader: JournalReader, before: Projection, { fields }: KeptState): Promise<Projection> {
  const { leafEventId = null, damage: _, ...said } = fields;
  const strict = strictSettings({ ...before.fields, ...said }, before.fields);
  const there = leafEventId !== null && (await reader.locate(leafEventId)) !== undefined;
  const head = there ? leafEventId : before.fields.leafEventId;
  const lookup = await loadBranches(reader, [{ leaf: head }]);
  const { executionStatus = before.fields.executionStatus } = fields;
  return applyStatePatch(before, { set: { ...said, ...strict, executionStatus, leafEventId: head } }, lookup);
}

/** A lost commit may have made settings stricter than all that is known of them. */
function distrusted(fields: StateFields, found: readonly Damage[]): StateFields {
  return {
    ...fields,
    damaged: true,
    damage: withDamage(fields.damage, found),
    confirmationPolicy: { kind: 'AlwaysConfirm' },
  };
}
