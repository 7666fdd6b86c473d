import type { pastViews } from '@conv/core';
import type { Event } from '@conv/core/events';

/** The view of a model at a point of a log, before messages are made of it. */
export interface PastView {
  /** The number of events of the log at this point. */
  readonly end: number;
  /** The events that the model would be asked with, secrets masked; those of `settled` are left out. */
  readonly events: readonly Event[];
  /** Returns the number of an event of the view; a summary has the number of its condensation. */
  readonly numberOf: (id: string) => number | undefined;
  /**
   * Neighbouring messages of a long view, which were counted before and are read when a page needs them. No message is made of some of
   * their events and of others. A request and its answer stand behind them, so no cache point and no newest answer is among them.
   * Default: none.
   */
  readonly settled?: {
    /** The number of events of the view before them. */
    readonly after: number;
    /** The number of messages. */
    readonly count: number;
    /** The estimate of all of them. */
    readonly tokens: number;
    /**
     * Resolves with the events of these messages, counted from 0, and of some before and behind them. `first`: the place of the first
     * message that the events make.
     */
    readonly read: (
      from: number,
      to: number,
    ) => Promise<Pick<PastView, 'events' | 'numberOf'> & { readonly first: number }>;
  };
  readonly hidden: readonly pastViews.HiddenEvents[];
  readonly condensationRequested: boolean;
}
