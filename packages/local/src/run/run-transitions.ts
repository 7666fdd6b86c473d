import type { RunEvent, RunPhase, RunProgress } from './run-phase.ts';

type PhaseKind = RunPhase['kind'];
type EventKind = RunEvent['kind'];
type PhaseOf<Kind extends PhaseKind> = Extract<RunPhase, { readonly kind: Kind }>;
type EventOf<Kind extends EventKind> = Extract<RunEvent, { readonly kind: Kind }>;
type Rule<Phase, Input> = (phase: Phase, event: Input) => RunPhase;
type Row<Phase> = { readonly [Kind in EventKind]: Rule<Phase, EventOf<Kind>> };
type BegunPhase = Extract<RunPhase, { readonly progress: RunProgress }>;

/** Returns the phase that follows an event. Throws for a pair that the table calls illegal. */
export function nextPhase(phase: RunPhase, event: RunEvent): RunPhase {
  const rule = RULES[phase.kind][event.kind] as Rule<RunPhase, RunEvent>;
  return rule(phase, event);
}

const ignore = (phase: RunPhase): RunPhase => phase;

const illegal = (phase: RunPhase, event: RunEvent): never => {
  throw new Error(`a run that is ${phase.kind} cannot handle ${event.kind}`);
};

/** The phase with these changes of its progress. */
const saw = (phase: BegunPhase, { messageId }: EventOf<'saw'>): RunPhase => ({
  ...phase,
  progress: { ...phase.progress, seenMessageId: messageId },
});

const stepped = ({ progress }: BegunPhase, { counts }: EventOf<'stepped'>): RunPhase => ({
  kind: 'stepped',
  progress: counts ? { ...progress, iterations: progress.iterations + 1 } : progress,
});

/** Goes on to a phase that has no data but the progress. */
const to =
  (kind: 'calling' | 'settling' | 'left' | 'ended'): Rule<BegunPhase, RunEvent> =>
  ({ progress }) => ({ kind, progress });

const NEVER: Row<RunPhase> = {
  clear: illegal,
  needless: illegal,
  begun: illegal,
  called: illegal,
  stopped: illegal,
  again: illegal,
  leave: illegal,
  ask: illegal,
  saw: illegal,
  answered: illegal,
  stepped: illegal,
  resumed: illegal,
  over: illegal,
  fail: () => ({ kind: 'failing', progress: undefined }),
};

/** Rules of a run that has begun, beside what its phase allows. */
const BEGUN: Row<BegunPhase> = {
  ...NEVER,
  saw,
  answered: ignore,
  fail: ({ progress }) => ({ kind: 'failing', progress }),
};

/** Rules of a run that has failed or ended: an abandoned step may still see a message. */
const LATE = {
  ...NEVER,
  saw: (phase: PhaseOf<'failing' | 'ended'>, event: EventOf<'saw'>): RunPhase =>
    phase.progress ? { ...phase, progress: { ...phase.progress, seenMessageId: event.messageId } } : phase,
  answered: ignore,
};

const RULES: { readonly [Kind in PhaseKind]: Row<PhaseOf<Kind>> } = {
  queued: { ...NEVER, clear: () => ({ kind: 'beginning' }) },
  beginning: {
    ...NEVER,
    needless: () => ({ kind: 'ended', progress: undefined }),
    begun: (_, { iterationsBefore, maxIterations, seenMessageId }) => ({
      kind: 'calling',
      progress: { iterations: 0, iterationsBefore, maxIterations, seenMessageId },
    }),
  },
  calling: {
    ...BEGUN,
    called: ({ progress }, { session }) => ({ kind: 'deciding', progress, session }),
    stopped: to('settling'),
  },
  deciding: {
    ...BEGUN,
    stopped: to('settling'),
    again: to('calling'),
    leave: to('left'),
    ask: ({ progress, session }) => ({ kind: 'asking', progress, session }),
  },
  asking: { ...BEGUN, answered: ({ progress }) => ({ kind: 'answered', progress }), stepped },
  answered: { ...BEGUN, stepped },
  stepped: { ...BEGUN, again: to('calling') },
  settling: { ...BEGUN, resumed: to('calling'), over: to('ended') },
  left: { ...BEGUN, resumed: ignore, over: to('ended') },
  failing: { ...LATE, fail: illegal, over: ({ progress }) => ({ kind: 'ended', progress }) },
  ended: { ...LATE, fail: ignore, over: ignore },
};
