import type { CommandDeps } from '../commands/command-deps.ts';
import { Condensing } from '../commands/condensing.ts';
import { Decisions } from '../commands/decisions.ts';
import { Edits } from '../commands/edits.ts';
import { LocalGoal } from '../commands/goal.ts';
import type { GoalAtWork } from '../commands/goal-at-work.ts';
import { LocalHistory } from '../commands/history.ts';
import type { Messages } from '../commands/messages.ts';
import { Reruns } from '../commands/reruns.ts';
import type { Expiration } from '../rules/expired-questions.ts';
import type { CommandCommits } from '../run/command-commits.ts';
import type { HistoryAtWork } from '../run/history-at-work.ts';
import type { Runs } from '../run/runs.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';

export interface LazyPartsDeps {
  readonly commands: CommandDeps;
  readonly parts: Pick<LocalConversationParts<unknown>, 'store' | 'folderOf'>;
  readonly commits: CommandCommits;
  readonly messages: Messages;
  readonly runs: Runs;
  readonly expiration: () => Expiration | undefined;
  /** Gets the goals when they are made. */
  readonly goal: GoalAtWork;
  /** Gets the history when it is made. */
  readonly history: HistoryAtWork;
}

/** The parts of a conversation that callers use now and then. Each is made when it is first used, because a server has many idle conversations. */
export class LazyParts {
  readonly #deps: LazyPartsDeps;
  #decisions: Decisions | undefined;
  #condensing: Condensing | undefined;
  #reruns: Reruns | undefined;
  #history: LocalHistory | undefined;
  #goal: LocalGoal | undefined;

  constructor(deps: LazyPartsDeps) {
    this.#deps = deps;
  }

  /** True if a caller may hold one of these parts. */
  get isHeld(): boolean {
    return this.#history !== undefined || this.#goal !== undefined;
  }

  get decisions(): Decisions {
    const { commands, commits, expiration } = this.#deps;
    const { active, safeguards } = commands;
    return (this.#decisions ??= new Decisions({
      edits: new Edits(commands),
      risks: safeguards.risks,
      expiration,
      commits,
      active,
    }));
  }

  get history(): LocalHistory {
    return (this.#history ??= this.#newHistory());
  }

  get goal(): LocalGoal {
    return (this.#goal ??= this.#newGoal());
  }

  /** Cancels the condensation and the rerun in progress, with this reason. */
  interrupt(reason: unknown): void {
    this.#condensing?.interrupt(reason);
    this.#reruns?.interrupt(reason);
  }

  #newHistory(): LocalHistory {
    const { commands, parts, goal, history } = this.#deps;
    const { store, folderOf } = parts;
    const condensing = (this.#condensing = new Condensing(commands));
    const reruns = (this.#reruns = new Reruns(commands));
    const made = new LocalHistory({ ...commands, store, folderOf, goal, condensing, reruns });
    history.made(made);
    return made;
  }

  #newGoal(): LocalGoal {
    const { commands, messages, runs, goal } = this.#deps;
    const made = new LocalGoal({ ...commands, messages, runs });
    goal.made(made);
    return made;
  }
}
