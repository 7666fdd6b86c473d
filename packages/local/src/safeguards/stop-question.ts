/*
 * The question of a run to its `Stop` hooks: may its answer end it?
 *
 *   event   │ none  │ asked    │ sentBack   │ askedAgain
 *   ────────┼───────┼──────────┼────────────┼───────────
 *   hold    │ asked │ –        │ askedAgain │ –
 *   drop    │ –     │ none     │ –          │ sentBack
 *   passed  │ ×     │ none     │ ×          │ sentBack
 *   blocked │ ×     │ sentBack │ ×          │ sentBack
 *
 * A cell has the next state (`–`: the same). `×` throws: nothing was asked. A hook is told if an answer of the run was sent back before,
 * so `sentBack` lasts until the run ends.
 */

/** The state of the question. */
export type StopQuestion =
  /** No answer waits for the hooks. */
  | 'none'
  /** An answer waits for the hooks. */
  | 'asked'
  /** No answer waits, and the hooks have sent one back. */
  | 'sentBack'
  /** An answer waits, and the hooks have sent an earlier one back. */
  | 'askedAgain';

/** An input of the state machine. */
export type StopEvent =
  /** An answer would end the run, and there are hooks to ask. */
  | 'hold'
  /** A message came behind the answer, so the run continues anyway. */
  | 'drop'
  /** The hooks let the answer pass. */
  | 'passed'
  /** The hooks sent the answer back. */
  | 'blocked';

const NEXT: Readonly<Record<StopQuestion, Readonly<Partial<Record<StopEvent, StopQuestion>>>>> = {
  none: { hold: 'asked', drop: 'none' },
  asked: { hold: 'asked', drop: 'none', passed: 'none', blocked: 'sentBack' },
  sentBack: { hold: 'askedAgain', drop: 'sentBack' },
  askedAgain: { hold: 'askedAgain', drop: 'sentBack', passed: 'sentBack', blocked: 'sentBack' },
};

/** Returns the state that follows an event. Throws for a pair that the table calls illegal. */
export function nextQuestion(question: StopQuestion, event: StopEvent): StopQuestion {
  const next = NEXT[question][event];
  if (next === undefined) throw new Error(`a question to Stop hooks that is ${question} cannot handle ${event}`);
  return next;
}
