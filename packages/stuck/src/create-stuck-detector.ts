import { STUCK_CODE, STUCK_SENDER, type StuckDetector, type StuckFinding } from '@conv/core';
import { eventGuards, isEvent, type ActionEvent, type Event, type MessageEvent } from '@conv/core/events';
import { allowanceOf, allowanceTable } from './allowances.ts';
import { answerCall, openCall, type OpenCall, type Settled } from './open-calls.ts';
import { builtInPatterns } from './patterns/built-in.ts';
import type { Step } from './step.ts';
import { checkOptions, invalid, type StuckDetectorOptions } from './stuck-options.ts';
import type { PatternMatch, StuckPattern } from './stuck-pattern.ts';
import { rememberStep, type Warning, warningOf, wentOn } from './warning.ts';

/** The state of a detector on a branch. Its size is bounded, whatever the branch holds. */
interface State {
  /** Grows with each event that counts. */
  readonly place: number;
  readonly open: readonly OpenCall[];
  /** The state of each pattern. */
  readonly patterns: readonly unknown[];
  readonly warnings: readonly (Warning | undefined)[];
  /** True if the model was warned and has not answered yet. */
  readonly told: boolean;
}

/** The most event ids in a finding. They show the loop to a person, and keep the finding small. */
const MAX_EVENT_IDS = 50;

/**
 * Makes a detector of loops. It is a value without state of its own: the same detector serves any number of
 * conversations.
 *
 * A match of a pattern first gives a `warn`. If the pattern continues after the warning, the next round gives a `stop`; see
 * {@link StuckDetectorOptions} for the end of a warning. A stop takes precedence over a warning. Of several warnings, the warning
 * of the first pattern is reported.
 *
 * @throws StuckError `INVALID_OPTION`, which names the wrong option.
 *
 * @example
 * ```ts
 * import { createStuckDetector, foldEvents } from '@conv/stuck';
 * import type { Event } from '@conv/core/events';
 *
 * const detector = createStuckDetector({
 *   thresholds: { actionObservation: 6 },
 *   allowances: { check_build: 30 },
 * });
 * const stored: readonly Event[] = [];
 * const finding = detector.find(foldEvents(detector, stored));
 * ```
 */
export function createStuckDetector(options: StuckDetectorOptions = {}): StuckDetector {
  const detector: StuckDetector<State> = new Detector(options);
  return detector;
}

class Detector implements StuckDetector<State> {
  readonly initial: State;
  readonly #patterns: readonly StuckPattern[];
  readonly #allowances: ReturnType<typeof allowanceTable>;
  readonly #forgetAfter: number;

  constructor(options: StuckDetectorOptions) {
    const { thresholds, maxCycleLength, forgetAfter, allowances, extraPatterns } = checkOptions(options);
    this.#patterns = [...builtInPatterns(thresholds, maxCycleLength), ...extraPatterns];
    const names = this.#patterns.map(({ name }) => name);
    const taken = names.find((name, index) => names.indexOf(name) !== index);
    if (taken !== undefined) throw invalid('extraPatterns', `patterns with names of their own, found "${taken}" twice`);
    this.#allowances = allowanceTable(allowances);
    this.#forgetAfter = forgetAfter;
    const patterns = this.#patterns.map(({ initial }) => initial);
    this.initial = { place: 0, open: [], patterns, warnings: names.map(() => undefined), told: false };
  }

  apply(before: State, event: Event): State {
    if (isEvent(event, 'ActionEvent')) return this.#withCall(before, event);
    if (eventGuards.isObservationLike(event)) return this.#settle(before, answerCall(before.open, event, before.place));
    if (isEvent(event, 'MessageEvent')) return this.#withMessage(before, event);
    if (isEvent(event, 'Condensation')) {
      const events = [{ id: event.id, place: before.place }];
      return this.#withStep(before, { kind: 'condensation', key: 'condensation', events }, [event]);
    }
    return isEvent(event, 'ConversationErrorEvent') && event.code === STUCK_CODE ? this.initial : before;
  }

  find(state: State): StuckFinding | undefined {
    if (state.told) return undefined;
    let first: StuckFinding | undefined;
    for (const [index, { name }] of this.#patterns.entries()) {
      const match = this.#match(state, index);
      if (match === undefined) continue;
      const warning = state.warnings[index];
      if (warning === undefined) first ??= findingOf(name, match, 'warn');
      else if (wentOn(warning, match)) return findingOf(name, match, 'stop');
    }
    return first;
  }

  #withCall(before: State, event: ActionEvent): State {
    return this.#settle(before, openCall(before.open, event, before.place, allowanceOf(this.#allowances, event)));
  }

  #withMessage(before: State, event: MessageEvent): State {
    if (event.source === 'user') return this.initial;
    if (event.source === 'agent') {
      const events = [{ id: event.id, place: before.place }];
      return this.#withStep(before, { kind: 'message', key: 'message', events }, [event]);
    }
    return event.sender?.startsWith(STUCK_SENDER) === true ? this.#withWarning(before, event.sender) : before;
  }

  #withWarning(before: State, sender: string): State {
    const index = this.#patterns.findIndex(({ name }) => sender === `${STUCK_SENDER}${name}`);
    if (index === -1) return before;
    return { ...before, warnings: before.warnings.with(index, warningOf(this.#match(before, index))), told: true };
  }

  #settle(before: State, { open, steps }: Settled): State {
    let state: State = { ...before, place: before.place + 1, open };
    for (const { step, events } of steps) state = this.#withStep(state, step, events);
    return state;
  }

  #withStep(before: State, step: Step, events: readonly Event[]): State {
    const patterns = this.#patterns.map((pattern, index) => pattern.apply(before.patterns[index], step, events));
    const after: State = { ...before, place: before.place + 1, patterns, told: false };
    if (before.warnings === this.initial.warnings) return after;
    const warnings = before.warnings.map((warning, index) => {
      const isThere = (): boolean => this.#match(after, index) !== undefined;
      return warning === undefined ? undefined : rememberStep(warning, step, this.#forgetAfter, isThere);
    });
    return { ...after, warnings: warnings.every((each) => each === undefined) ? this.initial.warnings : warnings };
  }

  #match(state: State, index: number): PatternMatch | undefined {
    return this.#patterns[index]?.find(state.patterns[index]);
  }
}

function findingOf(pattern: string, match: PatternMatch, action: StuckFinding['action']): StuckFinding {
  const { steps, description, advice } = match;
  const places = steps.flatMap(({ events }) => events).toSorted((one, other) => one.place - other.place);
  const eventIds = places.slice(-MAX_EVENT_IDS).map(({ id }) => id);
  const message =
    action === 'warn'
      ? `${description} ${advice} If it goes on, the run is stopped.`
      : `${description} The agent was warned and went on, so the run was stopped.`;
  return { pattern, eventIds, action, message };
}
