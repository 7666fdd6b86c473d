import { logChanged } from '../sources/log-changed.ts';
import type {
  FollowerEffect,
  FollowerEvent,
  FollowerLimits,
  FollowerMove,
  FollowerState,
  WorkingState,
} from './follower-state.ts';

type StateKind = FollowerState['kind'];
type EventKind = FollowerEvent['kind'];
type StateOf<Kind extends StateKind> = Extract<FollowerState, { readonly kind: Kind }>;
type EventOf<Kind extends EventKind> = Extract<FollowerEvent, { readonly kind: Kind }>;
type Rule<State, Input> = (state: State, event: Input, limits: FollowerLimits) => FollowerMove;
type Row<State> = { readonly [Kind in EventKind]: Rule<State, EventOf<Kind>> };

/** Returns the state that follows an event, and the effects to perform. Throws for a pair that the table calls illegal. */
export function transition(state: FollowerState, event: FollowerEvent, limits: FollowerLimits): FollowerMove {
  const rule = RULES[state.kind][event.kind] as Rule<FollowerState, FollowerEvent>;
  return rule(state, event, limits);
}

const LOOK: readonly FollowerEffect[] = [{ kind: 'look' }];
const RELEASE: FollowerEffect = { kind: 'release' };

const ignore = (state: FollowerState): FollowerMove => ({ state, effects: [] });

const illegal = (state: FollowerState, event: FollowerEvent): never => {
  throw new Error(`a follower that is ${state.kind} cannot handle ${event.kind}`);
};

const look = (state: FollowerState): FollowerMove => ({ state, effects: LOOK });

const close = (): FollowerMove => ({ state: { kind: 'closed' }, effects: [RELEASE] });

const change = (_: FollowerState, { error }: EventOf<'changed'>): FollowerMove => ({
  state: { kind: 'changed', error },
  effects: [RELEASE, { kind: 'tell', error }],
});

/** Returns another kind of state with the same data. */
const as = ({ shorterSince, refused }: WorkingState, kind: WorkingState['kind']): WorkingState => ({
  kind,
  shorterSince,
  refused,
});

/** Everything that the server has was taken in, so it shows all known events again. */
const pulled =
  (kind: WorkingState['kind']): Rule<WorkingState, EventOf<'pulled'>> =>
  ({ refused }) => ({ state: { kind, shorterSince: undefined, refused }, effects: [] });

/** A log that is shorter than before for longer than `shorterTimeout` is a different log: a server that restarts shows its end later. */
const shorter =
  (kind: WorkingState['kind']): Rule<WorkingState, EventOf<'shorter'>> =>
  (state, { at }, { conversationId, shorterTimeout }) => {
    const shorterSince = state.shorterSince ?? at;
    if (at - shorterSince < shorterTimeout) return { state: { ...as(state, kind), shorterSince }, effects: [] };
    const error = logChanged(conversationId, 'the server has fewer events of it than before');
    return change(state, { kind: 'changed', error });
  };

/** Rules that are the same in all states in which the follower works. */
const WORKING = {
  start: illegal,
  lost: (state: WorkingState, { blind }: EventOf<'lost'>) => ({
    state: as(state, 'unsure'),
    effects: blind ? LOOK : [],
  }),
  refused: (state: WorkingState, { error }: EventOf<'refused'>) => ({
    state: { ...state, refused: error },
    effects: [],
  }),
  hint: look,
  missed: (state: WorkingState, { delay }: EventOf<'missed'>) => ({
    state,
    effects: [{ kind: 'lookLater' as const, delay }],
  }),
  changed: change,
  repeated: ignore,
  proved: ignore,
  doubted: ignore,
  close,
};

/** Rules of a final state. No pull begins, because the work line refuses it. */
const FINAL: Row<FollowerState> = {
  start: ignore,
  lost: ignore,
  refused: ignore,
  hint: ignore,
  missed: ignore,
  pull: illegal,
  pulled: ignore,
  failed: ignore,
  shorter: ignore,
  changed: ignore,
  repeated: ignore,
  proved: ignore,
  doubted: ignore,
  close: ignore,
};

const RULES: { readonly [Kind in StateKind]: Row<StateOf<Kind>> } = {
  idle: {
    start: () => ({
      state: { kind: 'following', shorterSince: undefined, refused: undefined },
      effects: [{ kind: 'connect' }],
    }),
    lost: illegal,
    refused: illegal,
    hint: illegal,
    missed: illegal,
    pull: illegal,
    pulled: illegal,
    failed: illegal,
    shorter: illegal,
    changed: illegal,
    repeated: illegal,
    proved: illegal,
    doubted: illegal,
    close,
  },
  following: { ...WORKING, pull: ignore, pulled: pulled('following'), failed: ignore, shorter: shorter('following') },
  unsure: {
    ...WORKING,
    pull: (state) => ({ state: as(state, 'comparing'), effects: [] }),
    // this pull began before the connection was lost, so it compared nothing that came afterwards
    pulled: pulled('unsure'),
    failed: ignore,
    shorter: shorter('unsure'),
    repeated: (state) => ({ state, effects: [{ kind: 'doubt' }] }),
    proved: (state) => ({ state: as(state, 'following'), effects: [] }),
    doubted: look,
  },
  comparing: {
    ...WORKING,
    pull: illegal,
    pulled: pulled('following'),
    failed: (state) => ({ state: as(state, 'unsure'), effects: [] }),
    shorter: shorter('unsure'),
  },
  changed: FINAL,
  closed: FINAL,
};
