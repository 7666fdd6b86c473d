import {
  type Agent,
  checkCallOptions,
  type ConversationSettings,
  type JsonObject,
  type Limits,
  type MissingSecret,
  parseConfirmationPolicy,
  type ConfirmationPolicyInput,
  type SecurityAnalyzerInput,
  type SecretDescription,
  type SecretUpdate,
  type TitleOptions,
  checkLimitNames,
  checkLimits,
  checkTags,
  checkTitle,
  invalidOption,
} from '@conv/core';

import { commandRoutes, type ChangeSettingsRequest, type ConversationParams, type Route } from '@conv/openhands/rest';

import type { Written } from '../transport/call-route.ts';
import type { ConversationApi } from '../transport/conversation-api.ts';
import type { Follower } from '../sync/follower.ts';
import type { RemoteState } from '../sync/remote-state.ts';
import { analyzerOf, secretsOf } from './to-wire.ts';

/** Dependencies of {@link RemoteSettings}. */
export interface RemoteSettingsParts {
  readonly api: ConversationApi;
  readonly state: RemoteState;
  readonly follower: Follower;
  /** The agent that this conversation was opened with: it knows what a model is. */
  readonly agent: Agent | undefined;
  /** The secrets that it was opened with: a server may not show them. */
  readonly secrets: SecretUpdate;
  /** The server takes changes of every setting. */
  readonly settings: boolean;
  /** The server says which secrets have no value. */
  readonly missingSecrets: boolean;
  /** Makes a title and sets it. */
  readonly makeTitle: (options: TitleOptions) => Promise<string>;
}

/** Settings of a conversation on a server. */
export class RemoteSettings implements ConversationSettings {
  readonly #parts: RemoteSettingsParts;
  /** Given here: a server may show them late. */
  readonly #given = new Map<string, string | null>();

  /** @internal */
  constructor(parts: RemoteSettingsParts) {
    this.#parts = parts;
    this.#remember(parts.secrets);
  }

  async setConfirmationPolicy(policy: ConfirmationPolicyInput): Promise<void> {
    await this.#send(commandRoutes.setConfirmationPolicy, { policy: parseConfirmationPolicy(policy) });
  }

  /** See `ConversationSettings.confirmDamage`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async confirmDamage(): Promise<void> {
    await this.#change('damage', { damage_confirmed: true });
  }

  /** See `ConversationSettings.setSecurityAnalyzer`; one of the caller's is sent as it describes itself. */
  async setSecurityAnalyzer(analyzer: SecurityAnalyzerInput | null): Promise<void> {
    await this.#send(commandRoutes.setSecurityAnalyzer, {
      security_analyzer: analyzerOf(analyzer),
    });
  }

  /** See `ConversationSettings.setLimits`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async setLimits(limits: Partial<Limits>): Promise<void> {
    checkLimitNames(limits);
    const { maxIterations, maxBudgetPerRun, maxBudget, toolTimeout } = checkLimits(limits);
    await this.#change('limits', {
      max_iterations: maxIterations,
      max_budget_per_run: maxBudgetPerRun,
      max_budget: maxBudget,
      tool_timeout: toolTimeout,
    });
  }

  /**
   * See `ConversationSettings.setModel`: what the agent takes that this conversation was opened with; without one, the wire's LLM
   * object.
   */
  async setModel(model: unknown): Promise<void> {
    await this.#send(commandRoutes.switchLlm, { llm: this.#llmOf(model) });
  }

  /** See `ConversationSettings.setStuckDetection`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async setStuckDetection(on: boolean): Promise<void> {
    if (typeof on !== 'boolean') throw invalidOption('stuck detection is on or off: true or false');
    await this.#change('stuck detection', { stuck_detection: on });
  }

  /** See `ConversationSettings.updateSecrets`. Rejects `UNSUPPORTED` for taking one away on a server that cannot. */
  async updateSecrets(secrets: SecretUpdate): Promise<void> {
    const sources = secretsOf(secrets);
    const gone = Object.keys(sources).find((name) => sources[name] === null);
    if (gone !== undefined && !this.#parts.settings)
      throw this.#parts.api.error('UNSUPPORTED', `this server cannot take secret ${gone} away`);
    const given = Object.entries(sources).flatMap(([name, source]) =>
      source === null ? [] : [[name, source] as const],
    );
    if (given.length > 0) await this.#send(commandRoutes.updateSecrets, { secrets: Object.fromEntries(given) });
    const removed = Object.keys(sources).filter((name) => sources[name] === null);
    if (removed.length > 0) await this.#change('secrets', { removed_secrets: removed });
    this.#remember(sources);
    if (this.#parts.missingSecrets) await this.#parts.api.info();
  }

  #remember(secrets: Readonly<Record<string, unknown>>): void {
    for (const [name, source] of Object.entries(secrets)) {
      if (source === null) this.#given.delete(name);
      else this.#given.set(name, descriptionOf(source));
    }
  }

  get secrets(): readonly SecretDescription[] {
    const { secret_sources: sources } = this.#parts.state.secretRegistry;
    const shown = Object.entries((sources ?? {}) as JsonObject).map(
      ([name, source]) => [name, descriptionOf(source)] as const,
    );
    const known = this.#parts.settings ? [] : this.#given;
    return [...new Map([...known, ...shown])]
      .map(([name, description]) => ({ name, description }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Secrets that have no value at the server, as it said last: when this was opened, when a run ended that was waited for, and when
   * secrets changed. None on a server that does not say.
   */
  get missingSecrets(): readonly MissingSecret[] {
    return this.#parts.api.missingSecrets;
  }

  async setTags(tags: Readonly<Record<string, string>>): Promise<void> {
    await this.#parts.api.update({ tags: checkTags(tags) });
    await this.#parts.follower.sync();
  }

  /** See `ConversationSettings.setTitle`. Rejects `UNSUPPORTED` for `null` on a server that cannot remove one. */
  async setTitle(title: string | null): Promise<void> {
    if (title === null) return this.#change('a title away', { title: null });
    await this.#parts.api.update({ title: checkTitle(title) });
    await this.#parts.follower.sync();
  }

  /** See `ConversationSettings.generateTitle`; the model is asked as by `askAgent`. */
  async generateTitle(options: TitleOptions = {}): Promise<string> {
    checkCallOptions('settings.generateTitle', options);
    return this.#parts.makeTitle(options);
  }

  async #send<Body>(route: Route<{ params: ConversationParams; body: Body }>, body: Written<Body>): Promise<void> {
    await this.#parts.api.call(route, { body });
    await this.#parts.follower.sync();
  }

  /** A change that the protocol's first version has no word for. */
  async #change(what: string, changes: Written<ChangeSettingsRequest>): Promise<void> {
    if (!this.#parts.settings) throw this.#parts.api.error('UNSUPPORTED', `this server cannot change ${what}`);
    await this.#send(commandRoutes.changeSettings, changes);
  }

  #llmOf(model: unknown): JsonObject {
    const { agent } = this.#parts;
    if (agent) {
      const llm = this.#described(agent, model)['llm'];
      if (typeof llm === 'object' && llm !== null) return llm as JsonObject;
    }
    if (typeof model === 'object' && model !== null && typeof (model as JsonObject)['model'] === 'string')
      return model as JsonObject;
    throw invalidOption('a model must be what the agent of this conversation takes, or an LLM object with a model');
  }

  #described(agent: Agent, model: unknown): JsonObject {
    try {
      return agent.withModel(model).describe({ secrets: 'plain' });
    } catch (error) {
      if (error instanceof TypeError) throw invalidOption(error.message, error);
      throw error;
    }
  }
}

function descriptionOf(source: unknown): string | null {
  const description = typeof source === 'object' && source !== null && 'description' in source && source.description;
  return typeof description === 'string' ? description : null;
}
