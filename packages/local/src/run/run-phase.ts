import type { AgentSession } from '@conv/core';

/*
 * The phases of a run. The status in the log says if the conversation runs (P5); the phase says what this process does about it.
 * `run-transitions.ts` has the rules, `run.ts` the loop that does the work of a phase, and `stop-request.ts` the requests to stop,
 * which are independent of the phase (decisions 25 and 75).
 *
 *   queued ─► beginning ─► calling ─► deciding ─► asking ─► answered ─► stepped ─► calling
 *                 │           │        │   │  │      └─ without an answer ─┘
 *                 │           │ stopped│   │  └─ leave ─► left ─ over ─► ended
 *                 │           └────┬───┘   └─ again ─► calling
 *                 │                ▼
 *                 │            settling ─ resumed ─► calling
 *        needless │                │ over
 *                 └─────► ended ◄──┘             any of these ─ fail ─► failing ─ over ─► ended
 *
 *   event    │ queued    │ beginning │ calling  │ deciding │ asking   │ answered │ stepped │ settling │ left    │ failing │ ended
 *   ─────────┼───────────┼───────────┼──────────┼──────────┼──────────┼──────────┼─────────┼──────────┼─────────┼─────────┼──────
 *   clear    │ beginning │ ×         │ ×        │ ×        │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   needless │ ×         │ ended     │ ×        │ ×        │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   begun    │ ×         │ calling   │ ×        │ ×        │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   called   │ ×         │ ×         │ deciding │ ×        │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   stopped  │ ×         │ ×         │ settling │ settling │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   again    │ ×         │ ×         │ ×        │ calling  │ ×        │ ×        │ calling │ ×        │ ×       │ ×       │ ×
 *   leave    │ ×         │ ×         │ ×        │ left     │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   ask      │ ×         │ ×         │ ×        │ asking   │ ×        │ ×        │ ×       │ ×        │ ×       │ ×       │ ×
 *   saw      │ ×         │ ×         │ –        │ –        │ –        │ –        │ –       │ –        │ –       │ –       │ –
 *   answered │ ×         │ ×         │ –        │ –        │ answered │ –        │ –       │ –        │ –       │ –       │ –
 *   stepped  │ ×         │ ×         │ ×        │ ×        │ stepped  │ stepped  │ ×       │ ×        │ ×       │ ×       │ ×
 *   resumed  │ ×         │ ×         │ ×        │ ×        │ ×        │ ×        │ ×       │ calling  │ –       │ ×       │ ×
 *   over     │ ×         │ ×         │ ×        │ ×        │ ×        │ ×        │ ×       │ ended    │ ended   │ ended   │ –
 *   fail     │ failing   │ failing   │ failing  │ failing  │ failing  │ failing  │ failing │ failing  │ failing │ ×       │ –
 *
 * A cell has the next phase (`–`: the same). `×` throws: the loop rules it out. A step that was abandoned may still say `saw` and
 * `answered`, whatever the phase is by then.
 */

/** Progress of a run that has begun. */
export interface RunProgress {
  /** Model responses of this run in this process. */
  readonly iterations: number;
  /** Model responses of this run in earlier processes. */
  readonly iterationsBefore: number;
  /** Limit of model responses, those of earlier processes included. */
  readonly maxIterations: number;
  /** The newest user message that the run answers. A newer message keeps it active. */
  readonly seenMessageId: string | null;
}

/** Data of a phase of a run that has begun. */
interface Begun {
  readonly progress: RunProgress;
}

/** The phase of a run. */
export type RunPhase =
  /** Waits for forks, a condensation, and messages on their way: all of them come before the run in the log. */
  | { readonly kind: 'queued' }
  /** Decides in a commit if there is anything to do, and which calls may run. The log does not have the run yet. */
  | { readonly kind: 'beginning' }
  /** Runs the approved calls. The model is never asked while a call is open. */
  | ({ readonly kind: 'calling' } & Begun)
  /** Decides what comes next, and runs the checks that precede the model. */
  | ({ readonly kind: 'deciding'; readonly session: AgentSession } & Begun)
  /** Asks the model. Messages sent meanwhile come after its answer. */
  | ({ readonly kind: 'asking'; readonly session: AgentSession } & Begun)
  /** The answer is in a commit, and the step has not ended. */
  | ({ readonly kind: 'answered' } & Begun)
  /** The step has ended: appends the messages that waited for it, and looks at the budget. */
  | ({ readonly kind: 'stepped' } & Begun)
  /** The status says stop: decides in a commit about messages that came at the same time. */
  | ({ readonly kind: 'settling' } & Begun)
  /** Leaves the rest to another process, with the status at `running`. */
  | ({ readonly kind: 'left' } & Begun)
  /** Records its failure or interruption. */
  | { readonly kind: 'failing'; readonly progress: RunProgress | undefined }
  /** Accepts no more messages. Final. Without progress it never began. */
  | { readonly kind: 'ended'; readonly progress: RunProgress | undefined };

/** An input of the state machine. */
export type RunEvent =
  /** Everything that the run waited for is in the log. */
  | { readonly kind: 'clear' }
  /** There is nothing to do. Said inside the commit, so that the next command finds no active run. */
  | { readonly kind: 'needless' }
  /** The commit with the beginning of the run is stored. */
  | ({ readonly kind: 'begun' } & Omit<RunProgress, 'iterations'>)
  /** No approved call is left. */
  | { readonly kind: 'called'; readonly session: AgentSession }
  /** The status is not `running`. */
  | { readonly kind: 'stopped' }
  /** A turn is complete. */
  | { readonly kind: 'again' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'ask' }
  /** The step answers this message, and all before it. */
  | { readonly kind: 'saw'; readonly messageId: string | null }
  /** A commit with the answer is being made. */
  | { readonly kind: 'answered' }
  /** The step ended. `counts`: it was a model response. */
  | { readonly kind: 'stepped'; readonly counts: boolean }
  /** A message came that this run answers. */
  | { readonly kind: 'resumed' }
  /** Nothing is left to do. Said inside the commit, so that a message sent behind it belongs to the next run. */
  | { readonly kind: 'over' }
  /** Something rejected, or the run was interrupted. */
  | { readonly kind: 'fail' };
