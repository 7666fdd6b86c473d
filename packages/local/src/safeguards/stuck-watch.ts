import {
  STUCK_CODE,
  STUCK_SENDER,
  type ConversationState,
  type StuckDetector,
  type StuckFinding,
  type Transaction,
} from '@conv/core';
import { drafts, isEvent, type Event } from '@conv/core/events';

import { backwards, isUserMessage } from './branch-tail.ts';
import { failureDraft } from '../rules/failure-draft.ts';

/** Maximum number of newest events that are read again to search for loops. */
const MAX_EVENTS = 1000;

/** Detects loops on the live branch before each request to the model. Folds only the events since the last look. */
export class StuckWatch {
  readonly #state: ConversationState;
  readonly #detector: StuckDetector | undefined;
  #known: { readonly leaf: string | null; readonly state: unknown } | undefined;

  constructor(state: ConversationState, detector: StuckDetector | undefined) {
    this.#state = state;
    this.#detector = detector;
  }

  /** True if loops are detected at all. */
  get active(): boolean {
    return this.#detector !== undefined && this.#state.stuckDetection;
  }

  /** Warns the model or ends the run on a loop. Resolves with the finding that ended the run, else `undefined`. */
  async look(): Promise<StuckFinding | undefined> {
    const detector = this.#detector;
    // look again, because an event that came meanwhile, such as a message, may have ended the loop
    for (let current = false; detector && !current;) {
      const leaf = this.#state.leafEventId;
      const finding = detector.find(await this.#fold(detector, leaf));
      if (!finding) return undefined;
      current = await this.#state.transaction((transaction) => say(transaction, finding, leaf));
      if (this.#state.executionStatus === 'stuck') return finding;
    }
    return undefined;
  }

  async #fold(detector: StuckDetector, leaf: string | null): Promise<unknown> {
    const known = this.#known;
    if (known?.leaf === leaf) return known.state;
    const path: Event[] = [];
    let folded = detector.initial;
    for await (const event of backwards(this.#state.events, leaf)) {
      if (event.id === known?.leaf) folded = known.state;
      if (event.id === known?.leaf || path.length === MAX_EVENTS) break;
      path.push(event);
      if (startsOver(event)) break;
    }
    for (const event of path.reverse()) folded = detector.apply(folded, event);
    this.#known = { leaf, state: folded };
    return folded;
  }
}

/** True if events before this event cannot belong to a loop. */
function startsOver(event: Event): boolean {
  return isUserMessage(event) || (isEvent(event, 'ConversationErrorEvent') && event.code === STUCK_CODE);
}

/** Records a finding. Returns false if the live branch has moved on since. */
async function say(transaction: Transaction, finding: StuckFinding, leaf: string | null): Promise<boolean> {
  const { state } = transaction;
  if (state.leafEventId !== leaf) return false;
  if (state.executionStatus !== 'running') return true;
  const { action, message, pattern } = finding;
  if (action === 'warn')
    await transaction.append(drafts.environmentMessage(message, { sender: STUCK_SENDER + pattern }));
  else await transaction.append(failureDraft(STUCK_CODE, detailOf(finding)));
  return true;
}

function detailOf({ message, pattern, eventIds }: StuckFinding): string {
  return `${message} Pattern: ${pattern}, in ${eventIds.length} events: ${eventIds.join(', ')}`;
}
