import type { ConversationView, Metrics, PendingAction } from '../contract/conversation/conversation-view.ts';
import type { MessageEvent } from '../events/index.ts';
import { EventMask } from '../masking/event-mask.ts';
import type { RiskAssessment } from '../contract/state/risk-assessment.ts';
import { isPolicyActive } from '../contract/safeguards/confirmation-policy.ts';
import { pendingCalls } from './fold/branch.ts';
import type { Task } from '../contract/state/task.ts';
import { initialFields, type StateFields } from '../contract/state/fields.ts';
import type { Projection } from './fold/projection.ts';
import { totalMetrics } from './fold/stats.ts';

/** A class of objects with a property for each field of the state. */
const WithFields = class {} as unknown as abstract new () => StateFields;

/** Reads a projection: every field of the state as a property, and what is derived from it. */
export class ReadonlyState extends WithFields implements ConversationView {
  static {
    for (const name of Object.keys(initialFields) as (keyof StateFields)[]) {
      const get = function (this: ReadonlyState): unknown {
        return this.fields[name];
      };
      Object.defineProperty(this.prototype, name, { get, configurable: true });
    }
  }

  readonly #read: () => Projection;
  readonly #history: (leaf: string | null) => Promise<readonly MessageEvent[]>;
  readonly #mask: EventMask;

  constructor(
    read: () => Projection,
    history: (leaf: string | null) => Promise<readonly MessageEvent[]>,
    mask: EventMask = new EventMask(undefined),
  ) {
    super();
    this.#read = read;
    this.#history = history;
    this.#mask = mask;
  }

  /** All fields as one plain value. */
  get fields(): StateFields {
    return this.#mask.fields(this.#read().fields);
  }

  get pendingActions(): readonly PendingAction[] {
    const { assessments } = this.fields;
    return pendingCalls(this.#read().branch).map(({ event }) => {
      const { risk, reasons = [] }: Partial<RiskAssessment> = assessments[event.id] ?? {};
      return { ...this.#mask.event(event), ...(risk === undefined ? {} : { security_risk: risk }), reasons };
    });
  }

  get iteration(): number {
    return this.#read().branch.iteration;
  }

  get taskList(): readonly Task[] {
    return this.#mask.json(this.#read().branch.taskList);
  }

  get metrics(): Metrics {
    return totalMetrics(this.fields.stats);
  }

  get isConfirmationModeActive(): boolean {
    return this.fields.securityAnalyzer !== null && this.confirmationPolicyActive;
  }

  get confirmationPolicyActive(): boolean {
    return isPolicyActive(this.fields.confirmationPolicy);
  }

  async conversationHistory(): Promise<readonly MessageEvent[]> {
    return this.#history(this.fields.leafEventId);
  }
}
