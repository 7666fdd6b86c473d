import type { Event } from '../../events/index.ts';

/** The input of a condenser: the events that the model is asked with, and the places where they may be cut. */
export interface CondensableView {
  /** As the model sees them: repaired, masked, without an open batch (P5). */
  readonly events: readonly Event[];
  /** A condensation was asked for and has not come yet. */
  readonly requested: boolean;
  /**
   * Positions in `events`, ascending, 0 and `events.length` among them. Forgetting what lies between two of them takes nothing
   * else along: no batch, no call and its result, and no run of reasoning is cut in two.
   */
  readonly cuts: readonly number[];
  /**
   * For each event the `summary_offset` of a Condensation that puts its summary where this event stands. Not the event's position:
   * a log also holds what no model sees.
   */
  readonly offsets: readonly number[];
}
