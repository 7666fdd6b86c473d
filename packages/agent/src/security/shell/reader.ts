import { type ArithmeticExpansionPart, parse, type ParsedScript } from 'unbash';
import type { FindingId } from '../facts/findings.ts';
import { LateScripts } from './late-scripts.ts';
import { plainCommand } from './plain-command.ts';
import { readArithmetic } from './resolve.ts';
import { type Budget, budgetOf, ShellFacts } from './shell-facts.ts';
import type { RunningShell } from './simple-command.ts';
import { SyntaxWalk } from './syntax-walk.ts';
import { holdsUnread, mayHoldScripts } from './unread-scripts.ts';
import { NOTHING_KNOWN, type Output, plainWord, type ShellWord } from './word.ts';
import type { World } from './world.ts';

/** Ends a heredoc that the reader makes of a text. */
const END = 'END_OF_EVALUATED_TEXT';
const NAME = /[A-Za-z_]\w*/g;

/** Rules for commands and files. They stand above the reader, because commands may hold scripts that it reads. */
export interface ShellRules {
  /** Judges a command, reports findings to the shell and returns the command's output. */
  judge(words: readonly ShellWord[], input: Output | undefined, shell: ShellReader): Output;
  readsFrom(word: ShellWord, shell: ShellReader): Output;
  writesTo(word: ShellWord, output: Output, shell: ShellReader): void;
}

/** A script that is written now, for a later shell. */
export interface ApartScript {
  /** Parts that are read one after the other. */
  readonly texts: readonly string[];
  /** Parts that stand before, and are read for their variables alone. */
  readonly behind?: readonly string[];
  /** The path of the file that it is written to. */
  readonly path: string;
  readonly isScript: boolean;
  /** Findings that are not reported again. */
  readonly known?: ReadonlySet<FindingId>;
}

/**
 * Reads scripts as a shell would run them, without running anything: every branch is taken, variables are followed as
 * text, and each command is judged by {@link ShellRules}. Findings are collected. Work is bounded, and a script beyond
 * the bound counts as not read.
 */
export class ShellReader extends ShellFacts implements RunningShell {
  readonly #rules: ShellRules;
  readonly #late: LateScripts = new LateScripts(this);
  readonly #walk: SyntaxWalk = new SyntaxWalk(this);
  /** The depth at which the texts of this shell begin. */
  readonly #start: number;
  /** Scripts inside of words that were read. */
  readonly #substituted = new WeakSet<ParsedScript>();

  /** `length`: the characters of the action. `within`: the shell that reads a script for this one, which shares its work. */
  constructor(
    world: World,
    length: number,
    rules: ShellRules,
    within?: { readonly left: Budget; readonly depth: number },
  ) {
    super(world, within?.left ?? budgetOf(length), within?.depth);
    this.#rules = rules;
    this.#start = this.depth;
  }

  readsFrom(word: ShellWord): Output {
    return this.#rules.readsFrom(word, this);
  }

  writesTo(word: ShellWord, output: Output): void {
    this.#rules.writesTo(word, output, this);
  }

  /** Keeps a script that runs when the shell ends. It is read now as well, unless it needs a variable without a value. */
  atExit(text: string): void {
    this.#late.atExit(text);
  }

  /** Reads what runs when the shell ends, because it may end here, with the values of now. */
  exits(): void {
    this.#late.exits();
  }

  withhold(text: string, work: () => void): void {
    this.#late.withhold(text, work);
  }

  /** Reads a text as a script. `isScript: false`: it may be another text, so syntax errors in it are not reported. */
  read(text: string, options: { readonly isScript?: boolean; readonly input?: Output | undefined } = {}): Output {
    if (!this.spend('characters', text.length)) return NOTHING_KNOWN;
    const output = this.nested(() => this.#walk.within(options.input, () => this.#script(text, options.isScript)));
    if (this.depth === this.#start) this.#late.end();
    return output;
  }

  #script(text: string, isScript: boolean = true): Output {
    const words = plainCommand(text);
    if (words !== undefined) return this.run(words, this.#walk.input);
    const script = parse(text);
    if (isScript && (script.errors?.length ?? 0) > 0) this.report('unread');
    const output = this.#walk.statements(script.commands);
    if (mayHoldScripts(text) && !this.found.includes('unread') && holdsUnread(script, this.#substituted))
      this.report('unread');
    return output;
  }

  /**
   * Reads a script for a later shell: its variables and its folder stay apart. Reports its findings here unless they are
   * `known`, and returns all of them. A shell of its own cannot change the folder of this shell.
   */
  readApart({ texts, behind = [], path, isScript, known }: ApartScript): ReadonlySet<FindingId> {
    let all: readonly FindingId[] = this.found;
    this.nested(() => {
      const apart = new ShellReader(this.world, 0, this.#rules, { left: this.left, depth: this.depth });
      apart.variables.folder = this.variables.folder;
      for (const name of ['0', 'BASH_SOURCE']) apart.variables.set(name, plainWord(path));
      apart.variables.withArguments([], () => {
        for (const text of behind) apart.read(text, { isScript: false });
        const before = apart.found.splice(0);
        for (const text of texts) apart.read(text, { isScript });
        for (const id of apart.found) if (id !== 'hidden-folder' && known?.has(id) !== true) this.report(id);
        all = [...apart.found, ...before];
      });
      return NOTHING_KNOWN;
    });
    return new Set(all);
  }

  calculate(part: ArithmeticExpansionPart): void {
    this.nested(() => {
      readArithmetic(part.expression, this);
      return NOTHING_KNOWN;
    });
  }

  evaluate(text: string): void {
    const isScript = mayHoldScripts(text);
    if (!isScript && !this.variables.mayHoldScripts) return;
    this.nested(() => {
      const isLeft = this.spend('commands', 1);
      if (!this.spend('characters', text.length) || !isLeft) return NOTHING_KNOWN;
      // a heredoc replaces what the shell replaces in a subscript
      if (isScript) return this.read(`: <<${END}\n${text}\n${END}`);
      for (const [name] of text.matchAll(NAME)) this.evaluate(this.variables.get(name).text);
      return NOTHING_KNOWN;
    });
  }

  substitute(script: ParsedScript): Output {
    if ((script.errors?.length ?? 0) > 0) this.report('unread');
    return this.variables.withFolder(() => this.feed(script));
  }

  feed(script: ParsedScript): Output {
    this.#substituted.add(script);
    return this.nested(() => this.#walk.statements(script.commands));
  }

  judge(words: readonly ShellWord[], input: Output | undefined): Output {
    return this.#rules.judge(words, input, this);
  }

  /** Judges a command of these words. */
  run(words: readonly ShellWord[], input: Output | undefined): Output {
    // a command with many words is more work than a command with few
    if (words.length === 0 || !this.spend('commands', 1 + words.length / 8)) return NOTHING_KNOWN;
    return this.nested(() => {
      const own = this.#walk.functionOf((words[0] as ShellWord).text);
      if (own === undefined) return this.judge(words, input);
      return this.variables.withArguments(words.slice(1), () => this.#walk.within(input, own));
    });
  }
}
