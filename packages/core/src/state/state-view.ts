import type { ConversationView } from '../conversation/conversation.ts';
import type { ActionEvent, MessageEvent } from '../events/index.ts';
import { isConfirmationModeActive, isPolicyActive } from '../policy/confirmation-policy.ts';
import { pendingCalls, type Task } from './branch.ts';
import { initialFields, type StateFields } from './fields.ts';
import type { Projection } from './projection.ts';
import { totalMetrics, type Metrics } from './stats.ts';

/** Reads a projection: every field of the state as a property, and what is derived from it. */
// The fields are defined on the prototype below; the interface gives them their types.
export interface StateView extends StateFields {}

/** Reads a projection: every field of the state as a property, and what is derived from it. */
export class StateView implements ConversationView {
  readonly #read: () => Projection;
  readonly #history: (leaf: string | null) => Promise<readonly MessageEvent[]>;

  constructor(read: () => Projection, history: (leaf: string | null) => Promise<readonly MessageEvent[]>) {
    this.#read = read;
    this.#history = history;
  }

  /** All fields as one plain value. */
  get fields(): StateFields {
    return this.#read().fields;
  }

  get pendingActions(): readonly ActionEvent[] {
    return pendingCalls(this.#read().branch).map(({ event }) => event);
  }

  get iteration(): number {
    return this.#read().branch.iteration;
  }

  get taskList(): readonly Task[] {
    return this.#read().branch.taskList;
  }

  get metrics(): Metrics {
    return totalMetrics(this.fields.stats);
  }

  get isConfirmationModeActive(): boolean {
    return isConfirmationModeActive(this.fields);
  }

  get confirmationPolicyActive(): boolean {
    return isPolicyActive(this.fields.confirmationPolicy);
  }

  async conversationHistory(): Promise<readonly MessageEvent[]> {
    return this.#history(this.fields.leafEventId);
  }
}

for (const key of Object.keys(initialFields) as (keyof StateFields)[]) {
  Object.defineProperty(StateView.prototype, key, {
    enumerable: true,
    get(this: StateView) {
      return this.fields[key];
    },
  });
}
