import type { ConversationError } from '@conv/core';

/*
 * The states of a follower say how far it trusts that the server still has the log that is known here (P11, decision 75).
 *
 *   idle ──start──► following ──lost──► unsure ──pull──► comparing
 *                       ▲                 ▲                 │  │
 *                       │                 └─ lost, failed ──┘  │
 *                       └──────────── pulled, proved ──────────┘
 *   following, unsure, comparing ── a different log, or shorter for too long ──► changed
 *   all but changed ── close ──► closed
 *
 *   event     │ idle               │ following              │ unsure                 │ comparing              │ changed │ closed
 *   ──────────┼────────────────────┼────────────────────────┼────────────────────────┼────────────────────────┼─────────┼────────
 *   start     │ following, connect │ ×                      │ ×                      │ ×                      │ –       │ –
 *   lost      │ ×                  │ unsure                 │ –                      │ unsure                 │ –       │ –
 *   cut off   │ ×                  │ unsure, look           │ –, look                │ unsure, look           │ –       │ –
 *   refused   │ ×                  │ –                      │ –                      │ –                      │ –       │ –
 *   hint      │ ×                  │ –, look                │ –, look                │ –, look                │ –       │ –
 *   missed    │ ×                  │ –, lookLater           │ –, lookLater           │ –, lookLater           │ –       │ –
 *   pull      │ ×                  │ –                      │ comparing              │ ×                      │ ×       │ ×
 *   pulled    │ ×                  │ –                      │ –                      │ following              │ –       │ –
 *   failed    │ ×                  │ –                      │ –                      │ unsure                 │ –       │ –
 *   shorter   │ ×                  │ –                      │ –                      │ unsure                 │ –       │ –
 *   too short │ ×                  │ changed, release, tell │ changed, release, tell │ changed, release, tell │ –       │ –
 *   changed   │ ×                  │ changed, release, tell │ changed, release, tell │ changed, release, tell │ –       │ –
 *   repeated  │ ×                  │ –                      │ –, doubt               │ –                      │ –       │ –
 *   proved    │ ×                  │ –                      │ following              │ –                      │ –       │ –
 *   doubted   │ ×                  │ –                      │ –, look                │ –                      │ –       │ –
 *   close     │ closed, release    │ closed, release        │ closed, release        │ closed, release        │ –       │ –
 *
 * A cell has the next state (`–`: the same) and the effects. `cut off` is `lost` with `blind`; `too short` is `shorter` after
 * `shorterTimeout`. `×` throws: the work line runs one pull at a time, and none in a final state. A pull that ends in `unsure`
 * began before the loss, so it proves nothing about the log that is there now.
 */

/** Data of a state in which the follower works. */
interface Working {
  /** Time at which the server first showed less than before, in milliseconds; `undefined` while it shows all that is known. */
  readonly shorterSince: number | undefined;
  /** The reason why the server accepts no further socket. Only REST is used from then on. */
  readonly refused: ConversationError | undefined;
}

/** The state of a follower. */
export type FollowerState =
  /** Not started. */
  | { readonly kind: 'idle' }
  /** Nothing suggests that the server has a different log: numbered events are taken in as they come. */
  | ({ readonly kind: 'following' } & Working)
  /** A connection was lost. Until REST has compared the logs, a numbered event may belong to a different log. */
  | ({ readonly kind: 'unsure' } & Working)
  /** REST is asked if the known log is still there, and no connection was lost since the question. */
  | ({ readonly kind: 'comparing' } & Working)
  /** The server has a different log. Final. */
  | { readonly kind: 'changed'; readonly error: ConversationError }
  /** The conversation was closed. Final. */
  | { readonly kind: 'closed' };

/** A state in which the follower works. */
export type WorkingState = Extract<FollowerState, Working>;

/** An input of the state machine. */
export type FollowerEvent =
  | { readonly kind: 'start' }
  /** A connection was lost. `blind`: it brought nothing, or cannot carry what comes next, so that REST must be asked. */
  | { readonly kind: 'lost'; readonly blind: boolean }
  /** The server accepts no further socket. */
  | { readonly kind: 'refused'; readonly error: ConversationError }
  /** The server may have something new. */
  | { readonly kind: 'hint' }
  /** A look did not find all that was announced, or failed. */
  | { readonly kind: 'missed'; readonly delay: number }
  /** A pull begins. At most one is in progress. */
  | { readonly kind: 'pull' }
  /** The pull took in all that the server has. */
  | { readonly kind: 'pulled' }
  /** The pull failed, and says nothing about the log. */
  | { readonly kind: 'failed' }
  /** The pull found less than is known here. `at`: now, in milliseconds. */
  | { readonly kind: 'shorter'; readonly at: number }
  /** The pull found a different log. */
  | { readonly kind: 'changed'; readonly error: ConversationError }
  /** A numbered event came that was not taken in. */
  | { readonly kind: 'repeated' }
  /** The socket repeated the last known event with its number, so the server still has the known log. */
  | { readonly kind: 'proved' }
  /** The wait that began with `doubt` is over. */
  | { readonly kind: 'doubted' }
  | { readonly kind: 'close' };

/** An action that the follower takes after a transition, in the order of the list. */
export type FollowerEffect =
  /** Open the socket, and look whenever it says nothing for a while. */
  | { readonly kind: 'connect' }
  /** Ask REST for what is new. */
  | { readonly kind: 'look' }
  /** Look after so many milliseconds, unless a later look is already planned. */
  | { readonly kind: 'lookLater'; readonly delay: number }
  /** Wait for the state that comes behind repeated events; then `doubted`. */
  | { readonly kind: 'doubt' }
  /** Close the socket, stop all timers, forget the listeners. */
  | { readonly kind: 'release' }
  /** Tell every subscriber why nothing more comes. */
  | { readonly kind: 'tell'; readonly error: ConversationError };

/** Constants of a follower that transitions depend on. */
export interface FollowerLimits {
  readonly conversationId: string;
  /** Milliseconds for which a server may show a shorter log than before. */
  readonly shorterTimeout: number;
}

/** The result of a transition. */
export interface FollowerMove {
  readonly state: FollowerState;
  readonly effects: readonly FollowerEffect[];
}
