import { type ApproveOptions, checkOptionNames, checks, type OptionNames, type Transaction } from '@conv/core';
import type { ActionEvent, EventDraftOfKind } from '@conv/core/events';

import { approveActions, chooseActions, recordAssessments, rejectActions } from '../rules/approvals.ts';
import { appendEdited, type EditedCall } from '../rules/edited-calls.ts';
import { type Expiration, expireQuestions } from '../rules/expired-questions.ts';
import { appendQueued } from '../rules/message-queue.ts';
import { decisionIn, withNewest } from '../rules/named-decision.ts';
import { setMeta } from '../rules/set-meta.ts';
import type { RiskAssessments, Verdicts } from '../safeguards/risk-assessments.ts';
import type { Edits } from './edits.ts';
import type { ActiveRun } from '../run/active-run.ts';
import type { CommandCommits } from '../run/command-commits.ts';

/** Options of a decision on actions, beside those of the contract. */
export interface Decision {
  /** Name of the person or program that decides, kept with the commit of the decision. Default: none is kept. */
  readonly by?: string;
  /** Time of the decision, ISO 8601, kept with its name. Default: none is kept. */
  readonly at?: string;
}

/** Options of an approval, beside those of the contract. */
export interface Approval extends Decision, ApproveOptions {
  /** Called with the edited calls as they will run, before anything is stored. Throws to refuse them. Default: all are accepted. */
  readonly checkEdits?: (edited: readonly EventDraftOfKind<'ActionEvent'>[]) => void;
}

const NAMES: OptionNames<Decision> = { by: true, at: true };

const MORE_OF_APPROVAL: OptionNames<Omit<Approval, 'edits'>> = { ...NAMES, checkEdits: true };

/** The parts that decisions use. */
export interface DecisionsDeps {
  readonly commits: CommandCommits;
  /** The active run looks at its calls again after a decision. */
  readonly active: ActiveRun;
  /** Returns the time for which a question waits; `undefined` for no limit. */
  readonly expiration: () => Expiration | undefined;
  readonly edits: Edits;
  readonly risks: RiskAssessments;
}

/** Decisions on actions that wait for a person. */
export class Decisions {
  readonly #deps: DecisionsDeps;

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
  }

  /**
   * See `Conversation.approve`. The commit of the decision names who decides. Edited calls are made and rated before the lock is taken,
   * because tools may take long to start and an analyzer to answer. A question that is late is rejected instead.
   */
  async approve(actionIds: readonly string[] | undefined, decision: Approval): Promise<void> {
    checks.decision('approve', actionIds);
    checks.callOptions('approve', decision, MORE_OF_APPROVAL);
    const { edits = {}, checkEdits } = decision;
    checks.edits(edits);
    const edited = await this.#deps.edits.make(edits, actionIds);
    if (edited.length > 0) checkEdits?.(edited.map(({ draft }) => draft));
    const verdicts = await this.#deps.edits.rate(edited, this.#deps.risks);
    // a machine that was suspended may not have fired the timer yet: a late question is closed before it is answered
    const expiration = this.#deps.expiration();
    if (expiration) await this.#deps.commits.commit((transaction) => expireQuestions(transaction, expiration));
    // fence: a call may have been decided during the awaits, so all of them are chosen again inside the lock
    await this.#deps.commits.commit(async (transaction) => {
      const chosen = chooseActions(transaction, actionIds);
      chooseActions(
        transaction,
        edited.map(({ original }) => original.id),
      );
      const unchanged = chosen.filter(({ id }) => !Object.hasOwn(edits, id));
      approveActions(transaction, unchanged);
      const made = await this.#approveEdited(transaction, edited, verdicts);
      recordDecider(transaction, decision, [...chosen, ...made]);
    });
    this.#deps.active.run?.lookAgain();
  }

  async #approveEdited(
    transaction: Transaction,
    edited: readonly EditedCall[],
    verdicts: Verdicts | undefined,
  ): Promise<readonly ActionEvent[]> {
    if (edited.length === 0) return [];
    const { risks } = this.#deps;
    const actions = await appendEdited(transaction, edited);
    risks.note(actions, verdicts, transaction.openActions);
    recordAssessments(transaction, actions, risks);
    approveActions(transaction, actions);
    return actions;
  }

  /** See `Conversation.reject`. The commit of the decision names who decides. */
  async reject(
    actionIds: readonly string[] | undefined,
    reason: string | undefined,
    decision: Decision,
  ): Promise<void> {
    checks.decision('reject', actionIds, reason);
    checkOptionNames('reject', decision, NAMES);
    await this.#deps.commits.commit(async (transaction) => {
      const chosen = chooseActions(transaction, actionIds);
      recordDecider(transaction, decision, chosen);
      await rejectActions(transaction, chosen, reason);
      await appendQueued(transaction);
    });
    this.#deps.active.run?.lookAgain();
  }
}

function recordDecider(transaction: Transaction, { by, at }: Decision, actions: readonly ActionEvent[]): void {
  const earlier = decisionIn(transaction.state.extra.meta);
  // a decision without a name must not pass for the decision of the person who decided before
  if (by === undefined && Object.keys(earlier).length === 0) return;
  const decision = { ...(by === undefined ? {} : { by }), ...(at === undefined ? {} : { at }) };
  const ids = actions.map(({ id }) => id);
  setMeta(transaction, (meta) => withNewest(meta, decision, ids), decision);
}
