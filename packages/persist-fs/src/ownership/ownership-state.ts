import type { StoreError } from '@conv/core/store';
import type { OwnerRecord } from '../log/owner-file.ts';
import { LEASE_TTL } from './lease.ts';

/*
 * The states of the ownership of a folder (P2, decision 75). The epochs of the log decide who owns it; the state says what this
 * process knows of that, and what it still has to give back.
 *
 *   held ── lose ──► lost ── release ──► ended
 *     │                                    ▲
 *     └─ release ──► released ── freed, superseded
 *
 *   event      │ held                           │ lost         │ released       │ ended
 *   ───────────┼────────────────────────────────┼──────────────┼────────────────┼──────────
 *   beat       │ –, heartbeat                   │ –            │ –              │ –
 *   renewed    │ –                              │ –            │ –              │ –
 *   lease due  │ –, renewLease                  │ –            │ –              │ –
 *   lose       │ lost, stop, abort              │ –            │ –, abort       │ –, abort
 *   release    │ released, sayLast, stop, close │ ended, close │ –              │ –
 *   superseded │ ×                              │ ×            │ ended          │ ×
 *   free       │ ×                              │ ×            │ –, removeLease │ –
 *   freed      │ ×                              │ ×            │ ended          │ ×
 *
 * A cell has the next state (`–`: the same) and the effects, all of which run even if one throws. `×` throws. `lease due` is
 * `renewed` when a third of the lease has passed. A lease that could not be removed leaves the state at `released`: `free` tries
 * again. An owner that is lost or superseded leaves the lease
 * alone, because it may be the successor's.
 */

/** The state of an ownership. */
export type OwnershipState =
  /** No successor is known. `leaseRenewed`: when the lease was written last, in epoch milliseconds. */
  | { readonly kind: 'held'; readonly leaseRenewed: number }
  /** Another process has taken over. The files are still open. */
  | { readonly kind: 'lost' }
  /** Everything but the lease was given back. */
  | { readonly kind: 'released' }
  /** Nothing is left to give back. Final. */
  | { readonly kind: 'ended' };

/** An input of the state machine. */
export type OwnershipEvent =
  /** It is time for a heartbeat. */
  | { readonly kind: 'beat' }
  /** A heartbeat was written, at this time in epoch milliseconds. */
  | { readonly kind: 'renewed'; readonly at: number }
  /** Another process has taken over. */
  | { readonly kind: 'lose'; readonly reason: StoreError }
  /** The journal is closed. `last`: its last words for `owner.json`. */
  | { readonly kind: 'release'; readonly last: Partial<OwnerRecord> }
  /** The release found a successor, so the lease is not ours to give up. */
  | { readonly kind: 'superseded' }
  /** The lease is to be given up. */
  | { readonly kind: 'free' }
  /** The lease was given up. */
  | { readonly kind: 'freed' };

/** An action of the ownership after a transition. */
export type OwnershipEffect =
  /** Look for a successor, then write the heartbeat. */
  | { readonly kind: 'heartbeat' }
  /** Prolong the lease that keeps OpenHands away. */
  | { readonly kind: 'renewLease' }
  /** Say in `owner.json` that the owner has closed, and where the log ends. */
  | { readonly kind: 'sayLast'; readonly last: Partial<OwnerRecord> }
  /** Stop the heartbeat, and no longer count as a living owner in this process. */
  | { readonly kind: 'stop' }
  /** Close the files. */
  | { readonly kind: 'close' }
  | { readonly kind: 'removeLease' }
  /** Abort the signal of the journal. */
  | { readonly kind: 'abort'; readonly reason: StoreError };

/** The result of a transition. */
export interface OwnershipMove {
  readonly state: OwnershipState;
  readonly effects: readonly OwnershipEffect[];
}

type StateKind = OwnershipState['kind'];
type EventKind = OwnershipEvent['kind'];
type StateOf<Kind extends StateKind> = Extract<OwnershipState, { readonly kind: Kind }>;
type EventOf<Kind extends EventKind> = Extract<OwnershipEvent, { readonly kind: Kind }>;
type Rule<State, Input> = (state: State, event: Input) => OwnershipMove;
type Row<State> = { readonly [Kind in EventKind]: Rule<State, EventOf<Kind>> };

/** Returns the state that follows an event, and the effects to perform. Throws for a pair that the table calls illegal. */
export function transition(state: OwnershipState, event: OwnershipEvent): OwnershipMove {
  const rule = RULES[state.kind][event.kind] as Rule<OwnershipState, OwnershipEvent>;
  return rule(state, event);
}

const ignore = (state: OwnershipState): OwnershipMove => ({ state, effects: [] });

const illegal = (state: OwnershipState, event: OwnershipEvent): never => {
  throw new Error(`an ownership that is ${state.kind} cannot handle ${event.kind}`);
};

const to =
  (kind: 'released' | 'ended', ...effects: readonly OwnershipEffect[]): (() => OwnershipMove) =>
  () => ({ state: { kind }, effects });

const release = (_: OwnershipState, { last }: EventOf<'release'>): OwnershipMove => ({
  state: { kind: 'released' },
  effects: [{ kind: 'sayLast', last }, { kind: 'stop' }, { kind: 'close' }],
});

const abort = (state: OwnershipState, { reason }: EventOf<'lose'>): OwnershipMove => ({
  state,
  effects: [{ kind: 'abort', reason }],
});

const renewed = (state: StateOf<'held'>, { at }: EventOf<'renewed'>): OwnershipMove =>
  at < state.leaseRenewed + LEASE_TTL / 3
    ? { state, effects: [] }
    : { state: { kind: 'held', leaseRenewed: at }, effects: [{ kind: 'renewLease' }] };

const RULES: { readonly [Kind in StateKind]: Row<StateOf<Kind>> } = {
  held: {
    beat: (state) => ({ state, effects: [{ kind: 'heartbeat' }] }),
    renewed,
    lose: (_, { reason }) => ({ state: { kind: 'lost' }, effects: [{ kind: 'stop' }, { kind: 'abort', reason }] }),
    release,
    superseded: illegal,
    free: illegal,
    freed: illegal,
  },
  lost: {
    beat: ignore,
    renewed: ignore,
    lose: ignore,
    release: to('ended', { kind: 'close' }),
    superseded: illegal,
    free: illegal,
    freed: illegal,
  },
  released: {
    beat: ignore,
    renewed: ignore,
    lose: abort,
    release: ignore,
    superseded: to('ended'),
    free: to('released', { kind: 'removeLease' }),
    freed: to('ended'),
  },
  ended: {
    beat: ignore,
    renewed: ignore,
    lose: abort,
    release: ignore,
    superseded: illegal,
    free: ignore,
    freed: illegal,
  },
};
