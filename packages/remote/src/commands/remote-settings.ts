import {
  checks,
  type ConversationSettings,
  type JsonObject,
  type Limits,
  type MissingSecret,
  parseConfirmationPolicy,
  type ConfirmationPolicyInput,
  type SecretDescription,
  type SecretUpdate,
  type SecurityAnalyzer,
  type SecurityAnalyzerDescription,
} from '@conv/core';
import { commandRoutes, type ChangeSettingsRequest, type ConversationParams, type Route } from '@conv/openhands/rest';

import type { Written } from '../transport/call-route.ts';
import type { ConversationLink } from './conversation-link.ts';
import { type Ask, makeTitle } from './make-title.ts';
import type { ModelSwitch } from './model-switch.ts';
import { analyzerOf, secretsOf } from './to-wire.ts';

/** The options of an opening that later changes of settings need. */
export interface OpenedWith {
  /** The secrets, because a server may not show them. */
  readonly secrets: SecretUpdate;
}

/** Settings of a conversation on a server. */
export class RemoteSettings implements ConversationSettings {
  readonly #link: ConversationLink;
  readonly #models: ModelSwitch;
  readonly #ask: Ask;
  /** Secrets given here, because a server may show them late. */
  readonly #given = new Map<string, string | null>();

  /** @internal */
  constructor(link: ConversationLink, { secrets }: OpenedWith, models: ModelSwitch, ask: Ask) {
    this.#link = link;
    this.#models = models;
    this.#ask = ask;
    this.#remember(secrets);
  }

  async setConfirmationPolicy(policy: ConfirmationPolicyInput): Promise<void> {
    await this.#send(commandRoutes.setConfirmationPolicy, { policy: parseConfirmationPolicy(policy) });
  }

  /** See `ConversationSettings.confirmDamage`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async confirmDamage(): Promise<void> {
    await this.#change('damage', { damage_confirmed: true });
  }

  /** See `ConversationSettings.setSecurityAnalyzer`. Sends the description of a caller's own analyzer. */
  async setSecurityAnalyzer(analyzer: SecurityAnalyzer | SecurityAnalyzerDescription | null): Promise<void> {
    await this.#send(commandRoutes.setSecurityAnalyzer, { security_analyzer: analyzerOf(analyzer) });
  }

  /** See `ConversationSettings.setLimits`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async setLimits(limits: Partial<Limits>): Promise<void> {
    checks.limitNames(limits);
    const { maxIterations, maxBudgetPerRun, maxBudget, toolTimeout } = checks.limits(limits);
    await this.#change('limits', {
      max_iterations: maxIterations,
      max_budget_per_run: maxBudgetPerRun,
      max_budget: maxBudget,
      tool_timeout: toolTimeout,
    });
  }

  /**
   * See `ConversationSettings.setModel`. Takes a model of this conversation's agent or, without an agent, the wire's LLM object.
   */
  async setModel(model: unknown): Promise<void> {
    await this.#models.use(model);
  }

  /** See `ConversationSettings.setStuckDetection`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async setStuckDetection(on: boolean): Promise<void> {
    if (typeof on !== 'boolean') throw checks.invalid(checks.wrongValue('stuckDetection', 'true or false', on));
    await this.#change('stuck detection', { stuck_detection: on });
  }

  /** See `ConversationSettings.updateSecrets`. Rejects `UNSUPPORTED` for removing a secret on a server that cannot. */
  async updateSecrets(secrets: SecretUpdate): Promise<void> {
    const sources = secretsOf(secrets);
    const removed = Object.keys(sources).filter((name) => sources[name] === null);
    if (removed.length > 0 && !this.#link.capabilities.settings)
      throw this.#link.api.error(
        'UNSUPPORTED',
        `this server cannot remove secret ${removed[0]}; use a server of @conv/agent-server`,
      );
    const given = Object.entries(sources).flatMap(([name, source]) => (source ? [[name, source] as const] : []));
    if (given.length > 0) await this.#send(commandRoutes.updateSecrets, { secrets: Object.fromEntries(given) });
    if (removed.length > 0) await this.#change('secrets', { removed_secrets: removed });
    this.#remember(sources);
    if (this.#link.capabilities.missingSecrets) await this.#link.api.info();
  }

  #remember(secrets: Readonly<Record<string, unknown>>): void {
    for (const [name, source] of Object.entries(secrets)) {
      if (source === null) this.#given.delete(name);
      else this.#given.set(name, descriptionOf(source));
    }
  }

  get secrets(): readonly SecretDescription[] {
    const { secret_sources: sources } = this.#link.state.secretRegistry;
    const shown = Object.entries((sources ?? {}) as JsonObject).map(
      ([name, source]) => [name, descriptionOf(source)] as const,
    );
    const known = this.#link.capabilities.settings ? [] : this.#given;
    return [...new Map([...known, ...shown])]
      .map(([name, description]) => ({ name, description }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Secrets without a value on the server, as it last reported them: at the opening, at the end of an awaited run, and when secrets
   * changed. Empty for a server that does not report them.
   */
  get missingSecrets(): readonly MissingSecret[] {
    return this.#link.api.missingSecrets;
  }

  async setTags(tags: Readonly<Record<string, string>>): Promise<void> {
    await this.#link.api.update({ tags: checks.tags(tags) });
    await this.#link.follower.sync();
  }

  /** See `ConversationSettings.setTitle`. Rejects `UNSUPPORTED` for `null` on a server that cannot remove titles. */
  async setTitle(title: string | null): Promise<void> {
    if (title === null) return this.#change('a title away', { title: null });
    await this.#link.api.update({ title: checks.title(title) });
    await this.#link.follower.sync();
  }

  /** See `ConversationSettings.generateTitle`; the model is asked as by `askAgent`. */
  async generateTitle(options: { readonly maxLength?: number; readonly signal?: AbortSignal } = {}): Promise<string> {
    checks.callOptions('settings.generateTitle', options);
    return makeTitle(this.#link.state, this.#ask, (title) => this.setTitle(title), options);
  }

  async #send<Body>(route: Route<{ params: ConversationParams; body: Body }>, body: Written<Body>): Promise<void> {
    await this.#link.api.call(route, { body });
    await this.#link.follower.sync();
  }

  /** Sends a change that the first version of the protocol lacks. */
  async #change(what: string, changes: Written<ChangeSettingsRequest>): Promise<void> {
    if (!this.#link.capabilities.settings)
      throw this.#link.api.error(
        'UNSUPPORTED',
        `this server cannot change ${what}; use a server of @conv/agent-server`,
      );
    await this.#send(commandRoutes.changeSettings, changes);
  }
}

function descriptionOf(source: unknown): string | null {
  const description = typeof source === 'object' && source !== null && 'description' in source && source.description;
  return typeof description === 'string' ? description : null;
}
