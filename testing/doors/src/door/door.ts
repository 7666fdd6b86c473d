import type { JsonObject } from '@conv/core/events';
import type { NumberedEvent } from '@conv/turns';

import type { LineKind } from '../show/lines-of.ts';

/** The address of a conversation, for a client. */
export interface Visit {
  /** The server, behind the proxy. */
  readonly url: string;
  readonly id: string;
  /** The events that the client has, up to its cursor. Default: none, so that it asks for the whole log. */
  readonly known?: readonly NumberedEvent[];
}

/** A message of the user. */
export interface Said {
  readonly text: string;
  /** The URL of an image beside the text. A protocol whose messages are text leaves it out. */
  readonly image?: string;
}

/** A person's decision on a call that waits. */
export interface Decided {
  readonly action: string;
  /** The words of the call, which a person reads in a question about it. */
  readonly words: string;
  readonly approved: boolean;
  /** The reason of a rejection. A protocol that cannot say it has its own. */
  readonly reason: string;
  /** The arguments that the call runs with instead of its own. Only for doors that edit. */
  readonly input?: JsonObject;
}

/** A client that shows a conversation. It comes back by itself when it is cut off. */
export interface Client {
  /** The events up to its cursor now, which another client can go on behind; `undefined` if this protocol gives no such cursor. */
  known(): Promise<readonly NumberedEvent[] | undefined>;
  /** Sends a message of the user and begins the run; resolves when the server has it. */
  send(message: Said): Promise<void>;
  /** Decides on calls, and lets the run go on. */
  decide(decisions: readonly Decided[]): Promise<void>;
  /** Stops the run. Absent if the protocol cannot say it: the run is stopped elsewhere. */
  stop?(): Promise<void>;
  /** Asks for what came of something that was done elsewhere. Absent if the client follows the conversation by itself. */
  look?(): Promise<void>;
  /** True if the client has all of a log of this length at rest, as far as the protocol tells it. */
  isAtRest(length: number): boolean;
  /** Returns what it shows, in the words of `linesOf`. */
  shown(): readonly string[];
  close(): Promise<void>;
}

/** A protocol by which people follow conversations. Another one is added by one file. */
export interface Door {
  readonly name: string;
  /** The newest turn alone, for clients without a cursor; else the whole log. */
  readonly shows: 'log' | 'turn';
  /** True if a client can begin behind the events of another one. */
  readonly takesCursor: boolean;
  /** True if a call can be approved with other arguments; else it is decided elsewhere. Default false. */
  readonly edits?: boolean;
  /** True if a rejected call is told as a failed call. Default false. */
  readonly failsRejected?: boolean;
  /** Kinds of lines that the protocol cannot say. */
  readonly leavesOut: readonly LineKind[];
  /** Kinds of lines that a turn has in lists of their own, in this order behind all others. Default: none, so that all lines have one order. */
  readonly lists?: readonly LineKind[];
  /** Resolves when the client shows what there is. */
  open(visit: Visit): Promise<Client>;
}
