import type { LocalChildren } from '../children/local-children.ts';
import type { CommandDeps } from '../commands/command-deps.ts';
import { Condensing } from '../commands/condensing.ts';
import { Decisions } from '../commands/decisions.ts';
import { Edits } from '../commands/edits.ts';
import { LocalGoal } from '../commands/goal.ts';
import { LocalHistory } from '../commands/history.ts';
import type { Messages } from '../commands/messages.ts';
import { ModelSwitch } from '../commands/model-switch.ts';
import { Reruns } from '../commands/reruns.ts';
import { LocalSettings } from '../commands/settings.ts';
import type { Expiration } from '../rules/expired-questions.ts';
import type { LazySession } from '../run/lazy-session.ts';
import type { Runs } from '../run/runs.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';

export interface LazyPartsDeps {
  readonly shared: CommandDeps;
  readonly parts: Pick<LocalConversationParts<unknown>, 'store' | 'folderOf' | 'vault' | 'cipher'>;
  readonly session: LazySession;
  readonly messages: Messages;
  readonly runs: Runs;
  readonly children: LocalChildren;
  readonly expiration: () => Expiration | undefined;
}

/** The parts of a conversation that callers use now and then. Each is made when it is first used, because a server has many idle conversations. */
export class LazyParts {
  readonly #deps: LazyPartsDeps;
  #models: ModelSwitch | undefined;
  #settings: LocalSettings | undefined;
  #decisions: Decisions | undefined;
  #condensing: Condensing | undefined;
  #reruns: Reruns | undefined;
  #history: LocalHistory | undefined;
  #goal: LocalGoal | undefined;

  constructor(deps: LazyPartsDeps) {
    this.#deps = deps;
  }

  get models(): ModelSwitch {
    const { shared, session, parts } = this.#deps;
    const { vault, cipher } = parts;
    return (this.#models ??= new ModelSwitch({ state: shared.state, session, vault, cipher }));
  }

  get settings(): LocalSettings {
    const { shared, children } = this.#deps;
    return (this.#settings ??= new LocalSettings(
      shared,
      () => this.models,
      () => children.tighten(),
    ));
  }

  get decisions(): Decisions {
    const { shared, runs, expiration } = this.#deps;
    return (this.#decisions ??= new Decisions({
      edits: new Edits(shared),
      risks: shared.safeguards.risks,
      expiration,
      change: (work) => runs.change(work),
      decided: () => runs.active?.lookAgain(),
    }));
  }

  get history(): LocalHistory {
    const { shared, parts } = this.#deps;
    return (this.#history ??= new LocalHistory({
      ...shared,
      store: parts.store,
      folderOf: parts.folderOf,
      pursuing: () => this.#goal?.active === true,
      condensing: (this.#condensing ??= new Condensing(shared)),
      reruns: (this.#reruns ??= new Reruns(shared)),
    }));
  }

  get goal(): LocalGoal {
    const { shared, messages, runs } = this.#deps;
    return (this.#goal ??= new LocalGoal({
      ...shared,
      send: (draft, also) => messages.send(draft, also),
      store: (transaction, draft) => messages.add(transaction, draft),
      run: (signal) => runs.start({ signal, approves: false }),
      pause: () => runs.active?.pause(),
    }));
  }

  /** The goals, if any was asked for. */
  get madeGoal(): LocalGoal | undefined {
    return this.#goal;
  }

  /** The history, if anything of it was asked for. */
  get madeHistory(): LocalHistory | undefined {
    return this.#history;
  }

  /** Cancels the condensation and the rerun in progress, with this reason. */
  interrupt(reason: unknown): void {
    this.#condensing?.interrupt(reason);
    this.#reruns?.interrupt(reason);
  }
}
