import { isDeepStrictEqual } from 'node:util';

import {
  policies,
  abortable,
  errorText,
  type ConversationState,
  type ProtectedPlaces,
  type RiskAssessment,
  type StateFields,
  type SecurityAnalyzer,
  type StoredAnalyzer,
  truncateMiddle,
} from '@conv/core';
import type { ActionEvent, EventDraftOfKind } from '@conv/core/events';
import { questions } from '@conv/openhands/client-tools';

import type { Rated, RiskRules } from '../rules/approvals.ts';
import { leavesSandbox } from '../rules/leaves-sandbox.ts';
import { showsAnalysis } from '../rules/shown-analysis.ts';
import { askAnalyzer } from './ask-analyzer.ts';
import type { ShellPosition } from './shell-position.ts';

type ActionDraft = EventDraftOfKind<'ActionEvent'>;

/** The analyzer that was in force: its description, and the caller's own analyzer if it is the caller's. */
interface Setting {
  readonly description: StoredAnalyzer | null;
  readonly own: SecurityAnalyzer | undefined;
}

/** Assessments made before the actions were stored. */
export interface Verdicts {
  readonly setting: Setting;
  /** An assessment for each action, in their order. */
  readonly assessments: readonly RiskAssessment[];
}

/** The folder where the actions of a conversation run, and the places that they must not touch. */
export interface Surroundings {
  readonly workingDirectory: string;
  readonly protect: (() => ProtectedPlaces) | undefined;
  readonly shell: ShellPosition;
}

/** Maximum characters of a reason. */
const MAX_REASON = 1000;

/** The reason that a person reads about a call that asks to leave the sandbox. */
const OUTSIDE =
  'It asks to run outside of the sandbox, once: in a process of its own, with all files, programs and networks of the user.';

const UNKNOWN: RiskAssessment = { risk: 'UNKNOWN', reasons: [] };

/**
 * Asks the conversation's analyzer to rate actions before they are stored, and keeps the assessments of open actions. An action
 * without an assessment by the analyzer in force counts as `HIGH`, so that no change of settings makes them weaker.
 */
export class RiskAssessments implements RiskRules {
  readonly #find: ((description: StoredAnalyzer) => SecurityAnalyzer | undefined) | undefined;
  readonly #surroundings: Surroundings;
  #said: Map<string, { readonly setting: Setting; readonly assessment: RiskAssessment }> | undefined;
  #own: { readonly description: StoredAnalyzer; readonly analyzer: SecurityAnalyzer } | undefined;
  #found: { readonly description: StoredAnalyzer; readonly analyzer: SecurityAnalyzer | undefined } | undefined;

  constructor(
    find: ((description: StoredAnalyzer) => SecurityAnalyzer | undefined) | undefined,
    surroundings: Surroundings,
  ) {
    this.#find = find;
    this.#surroundings = surroundings;
  }

  /** Uses the caller's own analyzer for this description from now on. */
  use(description: StoredAnalyzer, analyzer: SecurityAnalyzer): void {
    this.#own = { description, analyzer };
  }

  /** Returns the caller's own analyzer if it has this description. */
  ownOf(description: StoredAnalyzer): SecurityAnalyzer | undefined {
    return isDeepStrictEqual(this.#own?.description, description) ? this.#own?.analyzer : undefined;
  }

  /**
   * Rates the actions as they will be stored. Returns `undefined` when there is no analyzer to ask, or when no rating would hold
   * any action back or be shown. Rejects with `signal.reason` alone.
   */
  ask(state: ConversationState, actions: readonly ActionDraft[], signal: AbortSignal): Promise<Verdicts> | undefined {
    const fields = state.accepted;
    const mayWait = policies.needsConfirmation(policies.read(fields.confirmationPolicy), actions, () => 'HIGH');
    if (!mayWait && !showsAnalysis(fields, actions)) return undefined;
    const analyzer = this.#analyzerOf(fields);
    if (!analyzer) return undefined;
    const setting = this.#settingOf(fields);
    const drafts = actions.map((action) => state.mask.draft(action));
    const { workingDirectory, protect, shell } = this.#surroundings;
    const options = { signal, workingDirectory, ...(protect ? { protectedPlaces: protect() } : {}) };
    const asked = shell.before(drafts).then(
      (positions) =>
        Promise.all(drafts.map((draft, at) => askAnalyzer(analyzer, draft, { ...options, ...positions[at] }))),
      (error: unknown) => drafts.map(() => unrated(error)),
    );
    return abortable(
      asked.then((said) => ({ setting, assessments: said.map((one) => bounded(one, state)) })),
      signal,
    );
  }

  /** Keeps the assessments of actions that are stored now, and drops those of actions that are no longer open. */
  note(actions: readonly ActionEvent[], verdicts: Verdicts | undefined, open: readonly ActionEvent[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const id of this.#said?.keys() ?? []) if (!ids.has(id)) this.#said?.delete(id);
    verdicts?.assessments.forEach((assessment, at) => {
      const action = actions[at];
      if (action) (this.#said ??= new Map()).set(action.id, { setting: verdicts.setting, assessment });
    });
  }

  /**
   * Returns the risk that the policy decides on; `UNKNOWN` without an analyzer. For `LLMSecurityAnalyzer` it is the model's own
   * rating, unless the runtime finds another analyzer for it.
   */
  assessmentOf(fields: Rated, action: ActionEvent): RiskAssessment {
    const { risk, reasons } = this.#ratingOf(fields, action);
    return leavesSandbox(action) ? { risk: 'HIGH', reasons: [OUTSIDE, ...reasons] } : { risk, reasons };
  }

  #ratingOf(fields: Rated, action: ActionEvent): RiskAssessment {
    if (fields.securityAnalyzer === null) return UNKNOWN;
    const said = this.#said?.get(action.id);
    if (said && isSame(said.setting, this.#settingOf(fields))) return said.assessment;
    if (this.#analyzerOf(fields))
      return { risk: 'HIGH', reasons: ['The current security analyzer has not rated this action.'] };
    if (fields.securityAnalyzer['kind'] === 'LLMSecurityAnalyzer')
      return { risk: action.security_risk ?? 'UNKNOWN', reasons: [] };
    const kind = JSON.stringify(fields.securityAnalyzer['kind']);
    return { risk: 'HIGH', reasons: [`The security analyzer ${kind} is not known here.`] };
  }

  /** True if the policy makes these actions of one response wait. A question does nothing without the user, so it needs no approval. */
  holdsBack(fields: Rated & Pick<StateFields, 'clientTools'>, all: readonly ActionEvent[]): boolean {
    const actions = all.filter((action) => !questions.isQuestion(fields, action));
    if (actions.length === 0) return false;
    if (actions.some(leavesSandbox)) return true;
    const policy = policies.read(fields.confirmationPolicy);
    return policies.needsConfirmation(policy, actions, (action) => this.assessmentOf(fields, action).risk);
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

  #findFor(description: StoredAnalyzer): SecurityAnalyzer | undefined {
    try {
      return this.#find?.(description);
    } catch {
      // an analyzer that cannot be built counts as unknown
      return undefined;
    }
  }
}

/** Returns the assessment of an action whose circumstances cannot be read. */
function unrated(error: unknown): RiskAssessment {
  return { risk: 'HIGH', reasons: [`The folder of the shell could not be read: ${errorText(error)}`] };
}

/** Masks reasons before they are cut, because half a value is not recognised. */
function bounded({ risk, reasons }: RiskAssessment, { mask }: Pick<ConversationState, 'mask'>): RiskAssessment {
  return { risk, reasons: reasons.map((reason) => truncateMiddle(mask.text(reason), MAX_REASON)) };
}

function isSame(one: Setting, other: Setting): boolean {
  return one.own === other.own && isDeepStrictEqual(one.description, other.description);
}
