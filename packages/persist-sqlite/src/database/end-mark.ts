/**
 * How far the log of each conversation was acknowledged, beside the database and outside of SQLite: a write-ahead log that is damaged
 * at rest ends for SQLite where the damage begins, without a word, and nothing inside the database knows of what followed.
 *
 * A mark is written when its commit is durable, without a flush of its own. So no mark is ever ahead of the database, a killed process
 * leaves them all, and after a loss of power some are older, which proves less and nothing wrong. That of a conversation to be deleted
 * goes first, durably: left behind, it would prove a loss. There is no file while nobody has
 * the database open and everything is in its main file.
 */
export interface EndMark {
  /** A dashed UUID. */
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly event: number;
}
