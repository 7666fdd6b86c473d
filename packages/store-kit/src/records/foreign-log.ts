import { StoreError, toCommitSeq, type CommitRange, type JournalReader } from '@conv/core/store';
import { idIn } from './other-conversation.ts';

/** The number of commits in the first look for a stated id, from the end of a log backwards. Each further look is twice as long. */
const FIRST_LOOK = 16;

/** The part of a reader that {@link foreignLog} needs. */
export type LogReader = Pick<JournalReader, 'commits' | 'damage' | 'end' | 'locate' | 'snapshot'>;

/** The log of another conversation. */
export interface ForeignLog {
  /** The id in commit 0, a dashed UUID. */
  readonly id: string;
  /** True if every commit was read. Otherwise a lost commit may have stated the requested id. */
  readonly isWhole: boolean;
}

/**
 * Resolves with the conversation that a log belongs to if that is not `id`, a dashed UUID (decision 82): commit 0 states another id,
 * and no later commit states this id, as a commit of each fork does. Resolves `undefined` for a log without commits, and if commit 0 is
 * lost or states no id. Reads a single commit unless the conversation is a fork.
 */
export async function foreignLog(reader: LogReader, id: string): Promise<ForeignLog | undefined> {
  const { seq: end } = reader.end;
  if (end === 0) return undefined;
  const [first] = await statedIn(reader, { from: toCommitSeq(0), to: toCommitSeq(1) });
  if (first === undefined || first === id || (await states(reader, id, end))) return undefined;
  return { id: first, isWhole: reader.damage.length === 0 };
}

/** Returns the error for the log of the conversation `other` in the place of the log of `id`. */
export function foreignLogError(id: string, other: string): StoreError {
  return new StoreError('CORRUPT', foreignLogText(id, other));
}

/** Says what was found in the place of a log, and what to do. */
export function foreignLogText(id: string, other: string): string {
  return (
    `expected the log of conversation ${id}, found the log of conversation ${other}, which is not shown and not changed here: ` +
    'put the right log back, from a backup or from the place where it is now'
  );
}

/** Looks where a fork states its id: in its newest commit, in its snapshot, then in all commits, the newest first. */
async function states(reader: LogReader, id: string, end: number): Promise<boolean> {
  let length = 1;
  for (let to = end; to > 0; to -= length) {
    length = to === end ? 1 : Math.max(FIRST_LOOK, length * 2);
    const from = toCommitSeq(Math.max(0, to - length));
    if ((await statedIn(reader, { from, to: toCommitSeq(to) })).includes(id)) return true;
    if (to === end && (await hasOwnSnapshot(reader, id))) return true;
  }
  return false;
}

/** True if the snapshot has this id, and its HEAD is in this log. */
async function hasOwnSnapshot(reader: LogReader, id: string): Promise<boolean> {
  const fields = (await reader.snapshot())?.data['fields'] as Readonly<Record<string, unknown>> | undefined;
  const { id: named, leafEventId } = fields ?? {};
  if (idIn(named) !== id || typeof leafEventId !== 'string') return false;
  return (await reader.locate(leafEventId)) !== undefined;
}

/** Returns the ids that the commits of a range state, as dashed UUIDs. */
async function statedIn(reader: LogReader, range: CommitRange): Promise<readonly string[]> {
  const stated: string[] = [];
  for await (const { patch } of reader.commits(range)) {
    const id = idIn(patch?.set?.id);
    if (id !== undefined) stated.push(id);
  }
  return stated;
}
