import type { FindingId } from '../facts/findings.ts';
import type { Variables } from './variables.ts';

/** Findings of a script, or of the function of a name, that needs variables without a value. */
interface Early {
  readonly text: string;
  readonly found: readonly FindingId[];
}

/** A shell that reads scripts before they run. */
interface ReadingShell {
  readonly variables: Variables;
  readonly found: FindingId[];
  report(id: FindingId): void;
  read(text: string): unknown;
}

/** Scripts that run when a shell ends, and findings that are withheld until then because a variable has no value yet. */
export class LateScripts {
  readonly #shell: ReadingShell;
  #exits: string[] = [];
  #early: Early[] = [];

  constructor(shell: ReadingShell) {
    this.#shell = shell;
  }

  /** Keeps a script that runs when the shell ends. It is read now as well, unless it needs a variable without a value. */
  atExit(text: string): void {
    this.#exits.push(text);
    this.#shell.variables.beforeChange = () => this.exits();
    this.withhold(text, () => void this.#shell.read(text));
  }

  /** Reads what runs when the shell ends, because it may end here, with the values of now. */
  exits(): void {
    const { variables } = this.#shell;
    const { beforeChange } = variables;
    variables.beforeChange = undefined;
    for (const text of this.#exits) this.withhold(text, () => void this.#shell.read(text));
    variables.beforeChange = beforeChange;
  }

  /** Withholds the findings of a work that needs a variable which has no value yet. */
  withhold(text: string, work: () => void): void {
    const { variables, found } = this.#shell;
    const outer = variables.isMissing;
    const before = found.length;
    variables.isMissing = false;
    work();
    if (variables.isMissing) this.#early.push({ text, found: found.splice(before) });
    variables.isMissing ||= outer;
  }

  /** Reads what runs when the shell ends, and reports what was withheld and does not run then. */
  end(): void {
    if (this.#exits.length === 0 && this.#early.length === 0) return;
    const [exits, early] = [this.#exits, this.#early];
    [this.#exits, this.#early] = [[], []];
    this.#shell.variables.beforeChange = undefined;
    const names = new Set(exits.flatMap((exit) => [exit, ...exit.split(/[^\w-]+/)]));
    for (const text of exits) this.#shell.read(text);
    // what the end itself withholds runs with no later values
    const lost = [...early.filter(({ text }) => !names.has(text)), ...this.#early];
    for (const id of lost.flatMap(({ found }) => found)) this.#shell.report(id);
    [this.#exits, this.#early] = [[], []];
    this.#shell.variables.beforeChange = undefined;
  }
}
