import type { Timer } from '@conv/core/platform';

/*
 * The state of one receiver of webhooks, and the number of conversations that are delivered to it at the same time.
 *
 *   sending ── away, unasked ──► paused, waiting ── waited ──► sending, probing         any of these ── close ──► closed
 *   (up to 8)                    (none)                        (one, if it was away)
 *
 *   event   │ sending       │ probing       │ paused         │ waiting        │ closed
 *   ────────┼───────────────┼───────────────┼────────────────┼────────────────┼───────
 *   took    │ –             │ sending       │ –              │ paused         │ –
 *   refused │ –             │ –             │ –              │ –              │ ×
 *   away    │ waiting, wait │ waiting, wait │ waiting        │ –              │ ×
 *   unasked │ paused, wait  │ waiting, wait │ –              │ –              │ ×
 *   waited  │ ×             │ ×             │ sending        │ probing        │ ×
 *   close   │ closed        │ closed        │ closed, cancel │ closed, cancel │ –
 *
 * A cell has the next state (`–`: the same) and then what happens to the wait. `×` throws: the sender rules it out. Deliveries that were on
 * when a wait began may still say anything but `waited`: the first failure begins the wait, and a success only says how it ends.
 */

/** The time of the first failure after the last success, in epoch milliseconds; `undefined` if there was none. */
interface Failing {
  readonly failingSince: number | undefined;
}

/** A receiver that is away has failed. */
interface Away {
  readonly failingSince: number;
}

/** A wait in which nothing is sent. */
interface Waiting {
  readonly timer: Timer;
}

/** The state of a receiver. */
export type ReceiverState =
  /** It takes messages, as far as this server knows. */
  | ({ readonly kind: 'sending' } & Failing)
  /** It was away, and one delivery finds out if it is back. */
  | ({ readonly kind: 'probing' } & Away)
  /** Nothing is sent until the wait is over, and then to a receiver that takes messages. */
  | ({ readonly kind: 'paused' } & Failing & Waiting)
  /** Nothing is sent until the wait is over, and then a probe. */
  | ({ readonly kind: 'waiting' } & Away & Waiting)
  /** Nothing is sent any more. Final. */
  | { readonly kind: 'closed' };

/** An input of the state machine. */
export type ReceiverEvent =
  /** The receiver has taken a message. */
  | { readonly kind: 'took' }
  /** The receiver has refused one conversation, and may take others. `at`: epoch milliseconds. */
  | { readonly kind: 'refused'; readonly at: number }
  /** The receiver did not answer, or takes nothing now. `begin` begins the wait. */
  | { readonly kind: 'away'; readonly at: number; readonly begin: () => Timer }
  /** This server could not ask the receiver, because the registry did not answer. */
  | { readonly kind: 'unasked'; readonly begin: () => Timer }
  /** The wait is over. */
  | { readonly kind: 'waited' }
  | { readonly kind: 'close' };

type StateKind = ReceiverState['kind'];
type EventKind = ReceiverEvent['kind'];
type StateOf<Kind extends StateKind> = Extract<ReceiverState, { readonly kind: Kind }>;
type EventOf<Kind extends EventKind> = Extract<ReceiverEvent, { readonly kind: Kind }>;
type Rule<State, Input> = (state: State, event: Input) => ReceiverState;
type Row<State> = { readonly [Kind in EventKind]: Rule<State, EventOf<Kind>> };

/** Returns the state that follows an event. Throws for a pair that the table calls illegal. */
export function nextState(state: ReceiverState, event: ReceiverEvent): ReceiverState {
  const rule = RULES[state.kind][event.kind] as Rule<ReceiverState, ReceiverEvent>;
  return rule(state, event);
}

const ignore = (state: ReceiverState): ReceiverState => state;

const illegal = (state: ReceiverState, event: ReceiverEvent): never => {
  throw new Error(`a receiver that is ${state.kind} cannot handle ${event.kind}`);
};

const refused = (state: StateOf<'sending' | 'paused'>, { at }: EventOf<'refused'>): ReceiverState => ({
  ...state,
  failingSince: state.failingSince ?? at,
});

const wait = (
  { failingSince }: StateOf<'sending' | 'probing'>,
  { at, begin }: EventOf<'away'>,
): StateOf<'waiting'> => ({
  kind: 'waiting',
  failingSince: failingSince ?? at,
  timer: begin(),
});

const closed = (): ReceiverState => ({ kind: 'closed' });

const cancelled = ({ timer }: Waiting): ReceiverState => {
  timer.cancel();
  return { kind: 'closed' };
};

const RULES: { readonly [Kind in StateKind]: Row<StateOf<Kind>> } = {
  sending: {
    took: () => ({ kind: 'sending', failingSince: undefined }),
    refused,
    away: wait,
    unasked: ({ failingSince }, { begin }) => ({ kind: 'paused', failingSince, timer: begin() }),
    waited: illegal,
    close: closed,
  },
  probing: {
    took: () => ({ kind: 'sending', failingSince: undefined }),
    refused: ignore,
    away: wait,
    unasked: ({ failingSince }, { begin }) => ({ kind: 'waiting', failingSince, timer: begin() }),
    waited: illegal,
    close: closed,
  },
  paused: {
    took: ({ timer }) => ({ kind: 'paused', failingSince: undefined, timer }),
    refused,
    away: ({ failingSince, timer }, { at }) => ({ kind: 'waiting', failingSince: failingSince ?? at, timer }),
    unasked: ignore,
    waited: ({ failingSince }) => ({ kind: 'sending', failingSince }),
    close: cancelled,
  },
  waiting: {
    took: ({ timer }) => ({ kind: 'paused', failingSince: undefined, timer }),
    refused: ignore,
    away: ignore,
    unasked: ignore,
    waited: ({ failingSince }) => ({ kind: 'probing', failingSince }),
    close: cancelled,
  },
  closed: { took: ignore, refused: illegal, away: illegal, unasked: illegal, waited: illegal, close: ignore },
};
