/**
 * End mark: how far the log of a conversation was acknowledged. Marks lie beside the database and outside of SQLite. If a
 * write-ahead log is damaged at rest, SQLite silently ends it where the damage begins, and nothing inside the database tells of
 * the rest (docs/decisions/0032-sqlite-end-marks.md).
 *
 * A mark is written when its commit is durable, without a flush of its own. So no mark is ever ahead of the database, and a
 * killed process leaves all of them. A loss of power may leave older marks, which prove less and nothing wrong. The mark of a
 * conversation to be deleted goes first, durably, because a mark left behind would prove a loss. There is no file while no
 * process has the database open and everything is in its main file.
 */
export interface EndMark {
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly event: number;
}
