import { isDeepStrictEqual } from 'node:util';

import {
  abortable,
  needsConfirmation,
  type ConversationState,
  type JsonObject,
  type ProtectedPlaces,
  type RiskAssessment,
  type SecurityAnalyzer,
  type SecurityAnalyzerFactory,
} from '@conv/core';
import type { ActionEvent, EventDraftOfKind } from '@conv/core/events';
import { truncateMiddle } from '@conv/core/messages';

import type { Rated, RiskRules } from '../rules/approvals.ts';
import { askAnalyzer } from './ask-analyzer.ts';

type ActionDraft = EventDraftOfKind<'ActionEvent'>;

/** Which analyzer was in force: its description, and the caller's own when it is one. */
interface Setting {
  readonly description: JsonObject | null;
  readonly own: SecurityAnalyzer | undefined;
}

/** What the analyzer said before the actions were stored. */
export interface Verdicts {
  readonly setting: Setting;
  /** One for each action, in their order. */
  readonly assessments: readonly RiskAssessment[];
}

/** Where the actions of a conversation run, and what they must leave alone. */
export interface Surroundings {
  readonly workingDirectory: string;
  readonly protect: (() => ProtectedPlaces) | undefined;
}

/** Characters of a reason. */
const MAX_REASON = 1000;

const UNKNOWN: RiskAssessment = { risk: 'UNKNOWN', reasons: [] };

/**
 * Has actions rated by the conversation's analyzer before they are stored, and knows what was said of those that are open.
 * What nobody rated under the analyzer in force counts as `HIGH`, so that no setting gets weaker by being changed.
 */
export class RiskBook implements RiskRules {
  readonly #find: SecurityAnalyzerFactory | undefined;
  readonly #surroundings: Surroundings;
  readonly #said = new Map<string, { readonly setting: Setting; readonly assessment: RiskAssessment }>();
  #own: { readonly description: JsonObject; readonly analyzer: SecurityAnalyzer } | undefined;
  #found: { readonly description: JsonObject; readonly analyzer: SecurityAnalyzer | undefined } | undefined;

  constructor(find: SecurityAnalyzerFactory | undefined, surroundings: Surroundings) {
    this.#find = find;
    this.#surroundings = surroundings;
  }

  /** From now on the analyzer of this description is the caller's own. */
  use(description: JsonObject, analyzer: SecurityAnalyzer): void {
    this.#own = { description, analyzer };
  }

  /** The caller's own analyzer of this description, if that is what it describes. */
  ownOf(description: JsonObject): SecurityAnalyzer | undefined {
    return isDeepStrictEqual(this.#own?.description, description) ? this.#own?.analyzer : undefined;
  }

  /**
   * Has the actions rated as they will be stored; `undefined` when there is nobody to ask, or nothing that any answer
   * would hold back. Rejects with `signal.reason` alone.
   */
  ask(state: ConversationState, actions: readonly ActionDraft[], signal: AbortSignal): Promise<Verdicts> | undefined {
    const fields = state.accepted;
    if (!needsConfirmation(fields.confirmationPolicy, actions as readonly ActionEvent[], () => 'HIGH'))
      return undefined;
    const analyzer = this.#analyzerOf(fields);
    if (!analyzer) return undefined;
    const setting = this.#settingOf(fields);
    const drafts = actions.map((action) => state.mask.draft(action));
    const { workingDirectory, protect } = this.#surroundings;
    const options = { signal, workingDirectory, ...(protect ? { protectedPlaces: protect() } : {}) };
    const asked = Promise.all(drafts.map((draft) => askAnalyzer(analyzer, draft, options)));
    return abortable(
      asked.then((said) => ({ setting, assessments: said.map((one) => bounded(one, state)) })),
      signal,
    );
  }

  /** Keeps what was said of actions that are stored now; of those that are open no more it is forgotten. */
  note(actions: readonly ActionEvent[], verdicts: Verdicts | undefined, open: readonly ActionEvent[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const id of this.#said.keys()) if (!ids.has(id)) this.#said.delete(id);
    verdicts?.assessments.forEach((assessment, at) => {
      const action = actions[at];
      if (action) this.#said.set(action.id, { setting: verdicts.setting, assessment });
    });
  }

  /**
   * The risk that the policy decides on. Without an analyzer `UNKNOWN`; `LLMSecurityAnalyzer` takes the model's own word
   * unless the runtime finds another analyzer for it.
   */
  assessmentOf(fields: Rated, action: ActionEvent): RiskAssessment {
    if (fields.securityAnalyzer === null) return UNKNOWN;
    const said = this.#said.get(action.id);
    if (said && isSame(said.setting, this.#settingOf(fields))) return said.assessment;
    if (this.#analyzerOf(fields))
      return { risk: 'HIGH', reasons: ['The security analyzer in force was not asked about it.'] };
    if (fields.securityAnalyzer['kind'] === 'LLMSecurityAnalyzer')
      return { risk: action.security_risk ?? 'UNKNOWN', reasons: [] };
    const kind = JSON.stringify(fields.securityAnalyzer['kind']);
    return { risk: 'HIGH', reasons: [`The security analyzer ${kind} is not known here.`] };
  }

  /** Whether the policy has these actions of one response wait. */
  holdsBack(fields: Rated, actions: readonly ActionEvent[]): boolean {
    return needsConfirmation(fields.confirmationPolicy, actions, (action) => this.assessmentOf(fields, action).risk);
  }

  #settingOf({ securityAnalyzer: description }: Rated): Setting {
    return {
      description,
      own: description === null ? undefined : this.ownOf(description),
    };
  }

  #analyzerOf(fields: Rated): SecurityAnalyzer | undefined {
    const { description, own } = this.#settingOf(fields);
    if (own || description === null) return own;
    if (this.#found?.description !== description) this.#found = { description, analyzer: this.#findFor(description) };
    return this.#found.analyzer;
  }

  #findFor(description: JsonObject): SecurityAnalyzer | undefined {
    try {
      return this.#find?.(description);
    } catch {
      // a description that its analyzer cannot be made of is one that nobody knows
      return undefined;
    }
  }
}

/** Half a value is not recognised: reasons are masked before they are cut. */
function bounded({ risk, reasons }: RiskAssessment, { mask }: Pick<ConversationState, 'mask'>): RiskAssessment {
  return { risk, reasons: reasons.map((reason) => truncateMiddle(mask.text(reason), MAX_REASON)) };
}

function isSame(one: Setting, other: Setting): boolean {
  return one.own === other.own && isDeepStrictEqual(one.description, other.description);
}
