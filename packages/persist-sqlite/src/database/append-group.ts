import { checkedText } from '@conv/store-kit/system';
import type { AppendItem, AppendOutcome, NewRow } from '../calls.ts';
import type { Failure } from '../failure.ts';
import { CommitUnsettled, type Connection } from './connection.ts';
import type { Owners } from './owners.ts';
import { headOf } from './heads.ts';
import type { EndMark } from './end-mark.ts';
import { commitCrc } from './commit-row.ts';
import { failureOf } from './refusal.ts';

/** Stores commits of any number of conversations in one transaction. */
export class Appender {
  readonly #owners: Owners;

  constructor(owners: Owners) {
    this.#owners = owners;
  }

  /** Stores all commits that can be stored. When it returns, they are durable. Returns one outcome per item, in their order. */
  store(connection: Connection, items: readonly AppendItem[]): AppendOutcome[] {
    const outcomes = this.#storeAll(connection, items);
    this.#leaveProofs(
      connection,
      items.filter((item) => outcomes.get(item) === null),
    );
    return items.map((item) => outcomes.get(item) ?? null);
  }

  /** Finds out the outcome of items whose answer was lost. Each is stored, or it is not and never will be. */
  settle(connection: Connection, items: readonly AppendItem[]): AppendOutcome[] {
    const outcomes = this.#settleAll(connection, items);
    // A later owner has left newer proofs, which older ones must not replace.
    this.#leaveProofs(
      connection,
      items.filter((item, at) => outcomes[at] === null && isOwner(connection, item)),
    );
    return outcomes;
  }

  #settleAll(connection: Connection, items: readonly AppendItem[]): AppendOutcome[] {
    try {
      // Write a transaction first. It overwrites a lost transaction's remains at the end of the write-ahead log, so that a crash
      // cannot bring them back.
      this.#owners.touch(connection);
      return items.map((item) => this.#settled(connection, item));
    } catch (error) {
      const { cause, resultCode } = failureOf(error, connection.driver, connection.file);
      return items.map((item) => ({
        code: 'OUTCOME_UNKNOWN',
        message: `${nameOf(item)}: whether it was stored is not known; open the conversation again to see`,
        cause,
        resultCode,
      }));
    }
  }

  #storeAll(connection: Connection, items: readonly AppendItem[]): Map<AppendItem, AppendOutcome> {
    const outcomes = new Map<AppendItem, AppendOutcome>();
    try {
      connection.transaction(() => this.#insertAll(connection, items, outcomes));
    } catch (error) {
      outcomes.clear();
      this.#afterError(connection, items, outcomes, error);
    }
    refuseMoved(connection, outcomes);
    return outcomes;
  }

  #afterError(
    connection: Connection,
    items: readonly AppendItem[],
    outcomes: Map<AppendItem, AppendOutcome>,
    error: unknown,
  ): void {
    if (error instanceof CommitUnsettled) {
      const settled = this.#settleAll(connection, items);
      items.forEach((item, at) => outcomes.set(item, settled[at] ?? null));
      return;
    }
    const failure = failureOf(error, connection.driver, connection.file);
    if (items.length === 1 || (failure.code !== 'FULL' && failure.code !== 'TOO_LARGE')) {
      failAll(items, outcomes, failure);
      return;
    }
    // Only a commit that does not fit, and those after it, are refused: try each half by itself.
    const half = items.length >> 1;
    for (const part of [items.slice(0, half), items.slice(half)])
      for (const [item, outcome] of this.#storeAll(connection, part)) outcomes.set(item, outcome);
  }

  #insertAll(connection: Connection, items: readonly AppendItem[], outcomes: Map<AppendItem, AppendOutcome>): void {
    for (const own of Map.groupBy(items, ({ key, epoch }) => `${key} ${epoch}`).values()) {
      const failure = this.#advance(connection, own);
      failAll(own, outcomes, failure);
      if (!failure) for (const item of own) insertCommit(connection, item.key, item);
    }
  }

  /**
   * Moves the end of a conversation past commits. Returns a failure unless they follow the end and their epoch still owns the
   * conversation. This condition is the fence: a writer that was taken over from changes no row.
   */
  #advance(connection: Connection, items: readonly AppendItem[]): AppendOutcome {
    const [first, last] = [items[0] as AppendItem, items.at(-1) as AppendItem];
    const { key, epoch, seq } = first;
    const end = last.firstEvent + last.eventIds.length;
    const sql = 'UPDATE conversations SET next_seq = ?, next_event = ? WHERE key = ? AND epoch = ? AND next_seq = ?';
    if (connection.run(sql, last.seq + 1, end, key, epoch, seq) === 1) {
      updateRow(connection, last);
      return null;
    }
    const found = headOf(connection, key);
    if (found?.epoch === epoch) {
      const unknown = 'an earlier append, whose outcome was not known, is stored; open the conversation again';
      const reason = found.seq > seq ? unknown : 'it follows a commit that was not stored; commit it again';
      return { code: 'UNAVAILABLE', message: `${nameOf(first)} was not stored: ${reason}` };
    }
    const why = found ? `is owned in epoch ${found.epoch} now, not in ${epoch}` : 'was deleted';
    return { code: 'FENCED', message: `conversation ${first.conversation} ${why}; open it again` };
  }

  /** Records beside the database how far each conversation is stored, and its settings there. */
  #leaveProofs(connection: Connection, stored: readonly AppendItem[]): void {
    const ends = new Map(stored.map((item) => [item.key, item]));
    // Invariant: the transaction is durable here, so no mark is ever ahead of the database
    // (docs/decisions/0032-sqlite-end-marks.md).
    for (const item of ends.values()) connection.ends?.set(markBehind(item));
    // Copies of settings are written before the commits are acknowledged, because SQLite may drop their transaction from a damaged log
    // (docs/decisions/0064-settings-are-acknowledged-with-their-copy.md).
    for (const item of ends.values()) {
      const kept = keptBy(item);
      if (kept !== null) connection.ends?.keep({ mark: markBehind(item), kept });
    }
  }

  #settled(connection: Connection, item: AppendItem): AppendOutcome {
    const { key, seq, epoch, id } = item;
    const start = `{"id":${JSON.stringify(id)},`;
    const sql = 'SELECT 1 FROM commits WHERE position = (? << 32) | ? AND epoch = ? AND substr(body, 1, length(?)) = ?';
    if (connection.get(sql, key, seq, epoch, start, start)) return null;
    return { code: 'UNAVAILABLE', message: `${nameOf(item)} was not stored: the database failed; commit it again` };
  }
}

/** Writes what a commit changes in the row of its conversation, beside the end of the log. */
function updateRow(connection: Connection, item: AppendItem): void {
  const { key, changedAt, summary } = item;
  if (changedAt !== null) connection.run('UPDATE conversations SET updated_at = ? WHERE key = ?', changedAt, key);
  const columns =
    'UPDATE conversations SET title = ?, status = ?, created_at = ?, tags = ?, parent_id = ?, forked_from = ? WHERE key = ?';
  if (summary !== null) connection.run(columns, ...summary, key);
  const kept = keptBy(item);
  if (kept !== null) connection.run('UPDATE conversations SET kept = ? WHERE key = ?', kept, key);
}

function failAll(items: readonly AppendItem[], outcomes: Map<AppendItem, AppendOutcome>, failure: AppendOutcome): void {
  for (const item of items) outcomes.set(item, failure);
}

/**
 * Refuses what was stored in a file that has lost its name. Invariant: the transaction is durable here, so a failed look never says that
 * nothing is stored.
 */
function refuseMoved(connection: Connection, outcomes: Map<AppendItem, AppendOutcome>): void {
  const stored = [...outcomes].filter(([, outcome]) => outcome === null).map(([item]) => item);
  if (stored.length === 0) return;
  try {
    if (!connection.isInPlace) failAll(stored, outcomes, moved(connection));
  } catch (error) {
    const { message, cause } = failureOf(error, connection.driver, connection.file);
    for (const item of stored) {
      const why = `${nameOf(item)} is stored, but whether its file still has its name is not known; open the store again: ${message}`;
      outcomes.set(item, { code: 'OUTCOME_UNKNOWN', message: why, cause });
    }
  }
}

/** True if the conversation still has the owner of a commit. */
function isOwner(connection: Connection, { key, epoch }: AppendItem): boolean {
  try {
    return headOf(connection, key)?.epoch === epoch;
  } catch {
    return false;
  }
}

function markBehind({ conversation: id, key, epoch, seq, firstEvent, eventIds }: AppendItem): EndMark {
  return { id, key, epoch, seq: seq + 1, event: firstEvent + eventIds.length };
}

/** Returns the copy of the settings after a commit, if they are new. `keptText` of store-kit, which this thread does not load. */
function keptBy({ seq, settings }: AppendItem): string | null {
  return settings === null ? null : checkedText(`${seq + 1} ${settings}`);
}

/** Writes a commit and its event ids into a log. */
export function insertCommit(connection: Connection, log: number, commit: NewRow): void {
  const { seq, epoch, firstEvent, eventIds, body } = commit;
  const count = eventIds.length;
  const sql = 'INSERT INTO commits VALUES ((? << 32) | ?, ?, ?, ?, ?, ?)';
  connection.run(sql, log, seq, epoch, firstEvent, count, commitCrc(log, commit, count), body);
  // If events share an id, the index keeps the first.
  const idSql = 'INSERT OR IGNORE INTO event_ids VALUES (?, ?, ?)';
  for (let at = 0; at < count; at++) connection.run(idSql, log, eventIds[at] as string, firstEvent + at);
}

function nameOf({ id, conversation }: AppendItem): string {
  return `commit ${id} of conversation ${conversation}`;
}

function moved({ file }: Connection): Failure {
  return { code: 'FENCED', message: `database ${file} was removed or replaced by another file; open the store again` };
}
