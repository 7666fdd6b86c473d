import { checkOptionNames, checks, type OptionNames, type Transaction } from '@conv/core';

import { approveActions, chooseActions, rejectActions } from '../rules/approvals.ts';
import { appendQueued } from '../rules/message-queue.ts';

/** Options of a decision on actions, beside those of the contract. */
export interface Decision {
  /** Name of the person or program that decides, kept with the commit of the decision. Default: none is kept. */
  readonly by?: string;
  /** Time of the decision, ISO 8601, kept with its name. Default: none is kept. */
  readonly at?: string;
}

/** Metadata member with the name of the person who made the newest decision. The commit of each decision sets it. */
const DECIDED_BY = 'conv_decided_by';

/** Metadata member with the time of that decision. */
const DECIDED_AT = 'conv_decided_at';

const NAMES: OptionNames<Decision> = { by: true, at: true };

/** The parts that decisions use. */
export interface DecisionsDeps {
  /** Commits the work of a command. */
  readonly change: (work: (transaction: Transaction) => void | Promise<void>) => Promise<void>;
  /** Lets an active run look at its calls again. */
  readonly decided: () => void;
}

/** Decisions on actions that wait for a person. */
export class Decisions {
  readonly #deps: DecisionsDeps;

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
  }

  /** See `Conversation.approve`. The commit of the decision names who decides. */
  async approve(actionIds: readonly string[] | undefined, decision: Decision): Promise<void> {
    checks.decision('approve', actionIds);
    checkOptionNames('approve', decision, NAMES);
    await this.#deps.change((transaction) => {
      approveActions(transaction, chooseActions(transaction, actionIds));
      recordDecider(transaction, decision);
    });
    this.#deps.decided();
  }

  /** See `Conversation.reject`. The commit of the decision names who decides. */
  async reject(
    actionIds: readonly string[] | undefined,
    reason: string | undefined,
    decision: Decision,
  ): Promise<void> {
    checks.decision('reject', actionIds, reason);
    checkOptionNames('reject', decision, NAMES);
    await this.#deps.change(async (transaction) => {
      recordDecider(transaction, decision);
      await rejectActions(transaction, chooseActions(transaction, actionIds), reason);
      await appendQueued(transaction);
    });
    this.#deps.decided();
  }
}

function recordDecider(transaction: Transaction, { by, at }: Decision): void {
  if (by === undefined) return;
  const { baseState, meta } = transaction.state.extra;
  transaction.update({
    set: {
      extra: { baseState, meta: { ...meta, [DECIDED_BY]: by, ...(at === undefined ? {} : { [DECIDED_AT]: at }) } },
    },
  });
}
