import type { ConversationView, PendingAction } from '../contract/conversation/conversation.ts';
import type { MessageEvent } from '../events/index.ts';
import { EventMask } from '../masking/event-mask.ts';
import type { RiskAssessment } from '../contract/state/risk-assessment.ts';
import { isConfirmationModeActive, isPolicyActive } from '../contract/safeguards/confirmation-policy.ts';
import { pendingCalls } from './fold/branch.ts';
import type { Task } from '../contract/state/task.ts';
import type { StateFields } from '../contract/state/fields.ts';
import type { Projection } from './fold/projection.ts';
import { totalMetrics } from './fold/stats.ts';
import type { Metrics } from '../contract/state/metrics.ts';

/** Reads a projection: every field of the state as a property, and what is derived from it. */
export class ReadonlyState implements ConversationView {
  readonly #read: () => Projection;
  readonly #history: (leaf: string | null) => Promise<readonly MessageEvent[]>;

  readonly #mask: EventMask;

  constructor(
    read: () => Projection,
    history: (leaf: string | null) => Promise<readonly MessageEvent[]>,
    mask: EventMask = new EventMask(undefined),
  ) {
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

  get id(): StateFields['id'] {
    return this.fields.id;
  }

  get agent(): StateFields['agent'] {
    return this.fields.agent;
  }

  get workspace(): StateFields['workspace'] {
    return this.fields.workspace;
  }

  get persistenceDir(): StateFields['persistenceDir'] {
    return this.fields.persistenceDir;
  }

  get maxIterations(): StateFields['maxIterations'] {
    return this.fields.maxIterations;
  }

  get stuckDetection(): StateFields['stuckDetection'] {
    return this.fields.stuckDetection;
  }

  get executionStatus(): StateFields['executionStatus'] {
    return this.fields.executionStatus;
  }

  get confirmationPolicy(): StateFields['confirmationPolicy'] {
    return this.fields.confirmationPolicy;
  }

  get securityAnalyzer(): StateFields['securityAnalyzer'] {
    return this.fields.securityAnalyzer;
  }

  get activatedKnowledgeSkills(): StateFields['activatedKnowledgeSkills'] {
    return this.fields.activatedKnowledgeSkills;
  }

  get activatedPathRules(): StateFields['activatedPathRules'] {
    return this.fields.activatedPathRules;
  }

  get invokedSkills(): StateFields['invokedSkills'] {
    return this.fields.invokedSkills;
  }

  get blockedActions(): StateFields['blockedActions'] {
    return this.fields.blockedActions;
  }

  get blockedMessages(): StateFields['blockedMessages'] {
    return this.fields.blockedMessages;
  }

  get lastUserMessageId(): StateFields['lastUserMessageId'] {
    return this.fields.lastUserMessageId;
  }

  get leafEventId(): StateFields['leafEventId'] {
    return this.fields.leafEventId;
  }

  get headIsEmpty(): StateFields['headIsEmpty'] {
    return this.fields.headIsEmpty;
  }

  get stats(): StateFields['stats'] {
    return this.fields.stats;
  }

  get secretRegistry(): StateFields['secretRegistry'] {
    return this.fields.secretRegistry;
  }

  get tags(): StateFields['tags'] {
    return this.fields.tags;
  }

  get agentState(): StateFields['agentState'] {
    return this.fields.agentState;
  }

  get hookConfig(): StateFields['hookConfig'] {
    return this.fields.hookConfig;
  }

  get clientTools(): StateFields['clientTools'] {
    return this.fields.clientTools;
  }

  get hiddenValues(): StateFields['hiddenValues'] {
    return this.fields.hiddenValues;
  }

  get maxBudgetPerRun(): StateFields['maxBudgetPerRun'] {
    return this.fields.maxBudgetPerRun;
  }

  get maxBudget(): StateFields['maxBudget'] {
    return this.fields.maxBudget;
  }

  get toolTimeout(): StateFields['toolTimeout'] {
    return this.fields.toolTimeout;
  }

  get assessments(): StateFields['assessments'] {
    return this.fields.assessments;
  }

  get uncheckedMessages(): StateFields['uncheckedMessages'] {
    return this.fields.uncheckedMessages;
  }

  get goal(): StateFields['goal'] {
    return this.fields.goal;
  }

  get title(): StateFields['title'] {
    return this.fields.title;
  }

  get createdAt(): StateFields['createdAt'] {
    return this.fields.createdAt;
  }

  get parentId(): StateFields['parentId'] {
    return this.fields.parentId;
  }

  get forkedFrom(): StateFields['forkedFrom'] {
    return this.fields.forkedFrom;
  }

  get queue(): StateFields['queue'] {
    return this.fields.queue;
  }

  get calls(): StateFields['calls'] {
    return this.fields.calls;
  }

  get lastRun(): StateFields['lastRun'] {
    return this.fields.lastRun;
  }

  get damaged(): StateFields['damaged'] {
    return this.fields.damaged;
  }

  get damage(): StateFields['damage'] {
    return this.fields.damage;
  }

  get extra(): StateFields['extra'] {
    return this.fields.extra;
  }
}
