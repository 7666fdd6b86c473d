import {
  checks,
  ConversationError,
  type ConversationSettings,
  type ConversationState,
  type Limits,
  type MissingSecret,
  parseConfirmationPolicy,
  type ConfirmationPolicyInput,
  type SecretDescription,
  type SecretUpdate,
  type SecurityAnalyzer,
  type SecurityAnalyzerDescription,
} from '@conv/core';

import { takeBackAllowed } from '../rules/approvals.ts';
import { checkAnalyzer, checkStuckDetection } from '../options/check-settings.ts';
import { NO_VAULT, storedSecrets, type ConversationSecrets } from '../safeguards/conversation-secrets.ts';
import type { CommandDeps } from './command-deps.ts';
import type { ModelSwitch } from './model-switch.ts';
import type { RiskAssessments } from '../safeguards/risk-assessments.ts';
import type { LastingSafeguards } from '../safeguards/safeguards.ts';
import { generateTitle } from './titles.ts';

/** Parts of a conversation that its settings change. */
export interface SettingsParts {
  readonly commands: CommandDeps;
  readonly models: ModelSwitch;
  /** The child conversations at work. `tighten` makes them as strict as this conversation. */
  readonly children: { tighten(): Promise<void> };
}

/** Settings of a local conversation. Each change is a commit here and in each child conversation at work. */
export class LocalSettings implements ConversationSettings {
  readonly #state: ConversationState;
  readonly #risks: RiskAssessments;
  readonly #secrets: ConversationSecrets | undefined;
  readonly #parts: () => SettingsParts;

  /** `parts` returns the parts of the moment: a conversation that rests has none, and makes others later. */
  constructor(state: ConversationState, { risks, secrets }: LastingSafeguards, parts: () => SettingsParts) {
    this.#state = state;
    this.#risks = risks;
    this.#secrets = secrets;
    this.#parts = parts;
  }

  /** Sets the policy. A stricter one takes back, in the same commit, permissions of calls that have not started (P10). */
  async setConfirmationPolicy(policy: ConfirmationPolicyInput): Promise<void> {
    const confirmationPolicy = parseConfirmationPolicy(policy);
    await this.#state.transaction((transaction) => {
      transaction.update({ set: { confirmationPolicy } });
      takeBackAllowed(transaction, this.#risks);
    });
    await this.#parts().children.tighten();
  }

  async confirmDamage(): Promise<void> {
    await this.#state.transaction((transaction) => {
      if (transaction.state.damaged) transaction.update({ set: { damaged: false } });
    });
  }

  /**
   * Sets the analyzer. It takes back permissions of calls that have not started where the policy asks about risky calls, because
   * the new analyzer has not rated them.
   */
  async setSecurityAnalyzer(analyzer: SecurityAnalyzer | SecurityAnalyzerDescription | null): Promise<void> {
    const { description, own } = checkAnalyzer(analyzer);
    await this.#state.transaction((transaction) => {
      transaction.update({ set: { securityAnalyzer: description } });
      if (own && description) this.#risks.use(description, own);
      takeBackAllowed(transaction, this.#risks);
    });
    await this.#parts().children.tighten();
  }

  async setLimits(limits: Partial<Limits>): Promise<void> {
    checks.limitNames(limits);
    await this.#state.update({ set: checks.limits(limits) });
    await this.#parts().children.tighten();
  }

  setModel(model: unknown): Promise<void> {
    return this.#parts().models.set(model);
  }

  async setStuckDetection(on: boolean): Promise<void> {
    await this.#state.update({ set: { stuckDetection: checkStuckDetection(on) } });
    await this.#parts().children.tighten();
  }

  async updateSecrets(secrets: SecretUpdate): Promise<void> {
    if (!this.#secrets) throw new ConversationError('UNSUPPORTED', NO_VAULT);
    await this.#secrets.update(secrets);
  }

  get secrets(): readonly SecretDescription[] {
    return this.#secrets?.secrets ?? storedSecrets(this.#state);
  }

  get missingSecrets(): readonly MissingSecret[] {
    if (this.#secrets) return this.#secrets.missing;
    return storedSecrets(this.#state).map(({ name }) => ({ name, reason: NO_VAULT }));
  }

  async setTags(tags: Readonly<Record<string, string>>): Promise<void> {
    await this.#state.update({ set: { tags: checks.tags(tags) } });
  }

  async setTitle(title: string | null): Promise<void> {
    await this.#state.update({ set: { title: title === null ? null : checks.title(title) } });
  }

  async generateTitle(options?: {
    readonly maxLength?: number;
    readonly prompt?: string;
    readonly signal?: AbortSignal;
  }): Promise<string> {
    checks.callOptions('settings.generateTitle', options, { prompt: true });
    return generateTitle(this.#parts().commands, options);
  }
}
