/**
 * The requests to a run to stop. A stronger request replaces a weaker one; of the two that end the run at once, the first wins,
 * because it has taken effect already (decisions 5 and 25).
 *
 *   none ──► pause ──► leave ──► abandoned, interrupted
 *
 *   command   │ none               │ pause              │ leave              │ abandoned │ interrupted
 *   ──────────┼────────────────────┼────────────────────┼────────────────────┼───────────┼────────────
 *   pause     │ pause              │ –                  │ –                  │ –         │ –
 *   leave     │ leave              │ leave              │ –                  │ –         │ –
 *   abandon   │ abandoned, abort   │ abandoned, abort   │ abandoned, abort   │ –         │ –
 *   interrupt │ interrupted, abort │ interrupted, abort │ interrupted, abort │ –         │ –
 */

/** The strongest request so far. */
export type StopRequest =
  | 'none'
  /** Pause after the current step. */
  | 'pause'
  /** Stop where a pause would, and leave the status at `running` for another process. */
  | 'leave'
  /** Stop at once and write nothing more, as if the process had ended. */
  | 'abandoned'
  /** Stop at once, and record it. */
  | 'interrupted';

/** A command that asks a run to stop. */
export type StopCommand = 'pause' | 'leave' | 'abandon' | 'interrupt';

/** The result of a transition. `abort`: cancel model and tools. */
export interface StopMove {
  readonly state: StopRequest;
  readonly effects: readonly 'abort'[];
}

const ENDS = { abandon: 'abandoned', interrupt: 'interrupted' } as const;

const TABLE: Readonly<Record<StopRequest, Readonly<Record<StopCommand, StopRequest>>>> = {
  none: { pause: 'pause', leave: 'leave', ...ENDS },
  pause: { pause: 'pause', leave: 'leave', ...ENDS },
  leave: { pause: 'leave', leave: 'leave', ...ENDS },
  abandoned: { pause: 'abandoned', leave: 'abandoned', abandon: 'abandoned', interrupt: 'abandoned' },
  interrupted: { pause: 'interrupted', leave: 'interrupted', abandon: 'interrupted', interrupt: 'interrupted' },
};

/** Returns the request after a command, and its effects. */
export function nextRequest(request: StopRequest, command: StopCommand): StopMove {
  const state = TABLE[request][command];
  return { state, effects: state !== request && isFinal(state) ? ['abort'] : [] };
}

function isFinal(request: StopRequest): boolean {
  return request === 'abandoned' || request === 'interrupted';
}
