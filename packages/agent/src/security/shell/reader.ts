import {
  type ArithmeticExpansionPart,
  type ArithmeticExpression,
  type Command,
  type CommandNode,
  type CompoundCommand,
  type Function as FunctionNode,
  forEachChild,
  parse,
  type ParsedScript,
  type PipelineNode,
  type Redirected,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import type { FindingId } from '../facts/findings.ts';
import { type Place, placeOf, UNKNOWN } from '../facts/places.ts';
import { isBomb } from './fork-bomb.ts';
import { MadeFiles } from './made-files.ts';
import { plainCommand } from './plain-command.ts';
import { inputOf, writeTargets } from './redirections.ts';
import { readArithmetic, resolveInto, resolveOne, resolveWord, type Substitutions } from './resolve.ts';
import { holdsUnread, mayHoldScripts } from './unread-scripts.ts';
import { Variables } from './variables.ts';
import { joined, NO_TEXT, NOTHING_KNOWN, type Output, plainWord, type ShellWord } from './word.ts';
import type { World } from './world.ts';

/** The deepest nesting that is followed, of scripts inside of scripts and of functions that call each other. */
const MAX_DEPTH = 12;
/** The most commands that are read for each 1,000 characters of an action; {@link MIN_COMMANDS} are always read. */
const COMMANDS_PER_THOUSAND = 700;
const MIN_COMMANDS = 2000;

/** Ends a heredoc that the reader makes of a text. */
const END = 'END_OF_EVALUATED_TEXT';
const NAME = /[A-Za-z_]\w*/g;
/** Operators of `[[ … ]]` whose operands are numbers or names of variables. */
const EVALUATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** Findings of a script, or of the function of a name, that needs variables without a value. */
interface Early {
  readonly text: string;
  readonly found: readonly FindingId[];
}

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
export class ShellReader implements Substitutions {
  readonly world: World;
  readonly found: FindingId[] = [];
  readonly variables: Variables;
  #placed: { readonly path: string; readonly folder: string; readonly place: Place } | undefined;
  #made: MadeFiles | undefined;
  /** True where commands have the rights of the administrator. */
  isRoot = false;
  #functions: Map<string, CompoundCommand | SyntaxNode> | undefined;
  /** The work that is left: commands to judge, and characters of scripts to read. */
  readonly left: { commands: number; characters: number };
  #depth = 0;
  /** The depth at which the texts of this shell begin. */
  #start = 0;
  /** Scripts that run when the shell ends. */
  #exits: string[] | undefined;
  #early: Early[] | undefined;
  readonly #rules: ShellRules;
  #input: Output | undefined;
  /** Scripts inside of words that were read. */
  readonly #substituted = new WeakSet<ParsedScript>();

  constructor(world: World, length: number, rules: ShellRules, left?: ShellReader['left']) {
    this.#rules = rules;
    this.world = world;
    this.variables = new Variables(world.home, world.workspace);
    this.left = left ?? {
      commands: MIN_COMMANDS + (length * COMMANDS_PER_THOUSAND) / 1000,
      characters: 10_000 + 3 * length,
    };
  }

  readsFrom(word: ShellWord): Output {
    return this.#rules.readsFrom(word, this);
  }

  writesTo(word: ShellWord, output: Output): void {
    this.#rules.writesTo(word, output, this);
  }

  report(id: FindingId): void {
    if (!this.found.includes(id)) this.found.push(id);
  }

  place(path: string): Place {
    const { folder } = this.variables;
    // several rules ask about the same path, so the last place is kept
    if (this.#placed?.path !== path || this.#placed.folder !== folder)
      this.#placed = { path, folder, place: placeOf(path, folder, this.world) };
    return this.#placed.place;
  }

  /** Notes the content that the script itself has written into a file, or fetched into a folder. */
  make(path: string, output: Output): void {
    this.#made ??= new MadeFiles();
    this.#made.add(this.place(path), output);
  }

  /** Returns the content that the script itself has written into a file. */
  madeAt(path: string): Output | undefined {
    return this.#made?.at(this.place(path));
  }

  /** True if a file lies in a folder that the script itself has fetched. */
  isFetched(path: string): boolean {
    return this.#made?.isInFetched(this.place(path)) === true;
  }

  /** Keeps a script that runs when the shell ends. It is read now as well, unless it needs a variable without a value. */
  atExit(text: string): void {
    this.#exits ??= [];
    this.#exits.push(text);
    this.variables.beforeChange = () => this.exits();
    this.#withheld(text, () => void this.read(text));
  }

  /** Reads what runs when the shell ends, because it may end here, with the values of now. */
  exits(): void {
    const { beforeChange } = this.variables;
    this.variables.beforeChange = undefined;
    for (const text of this.#exits ?? []) this.#withheld(text, () => void this.read(text));
    this.variables.beforeChange = beforeChange;
  }

  /** Withholds the findings of a work that needs a variable which has no value yet. */
  #withheld(text: string, work: () => void): void {
    const { variables } = this;
    const outer = variables.isMissing;
    const before = this.found.length;
    variables.isMissing = false;
    work();
    if (variables.isMissing) {
      this.#early ??= [];
      this.#early.push({ text, found: this.found.splice(before) });
    }
    variables.isMissing ||= outer;
  }

  /** Reads what runs when the shell ends, and reports what was withheld and does not run then. */
  #end(): void {
    const exits = this.#exits ?? [];
    const early = this.#early ?? [];
    this.#exits = undefined;
    this.#early = undefined;
    this.variables.beforeChange = undefined;
    const names = new Set(exits.flatMap((exit) => [exit, ...exit.split(/[^\w-]+/)]));
    for (const text of exits) this.read(text);
    for (const { text, found } of early) if (!names.has(text)) for (const id of found) this.report(id);
    // what the end withholds runs with no later values
    for (const { found } of (this.#early as readonly Early[] | undefined) ?? [])
      for (const id of found) this.report(id);
    this.#early = undefined;
    this.#exits = undefined;
    this.variables.beforeChange = undefined;
  }

  /** Reads a text as a script. `isScript: false`: it may be another text, so syntax errors in it are not reported. */
  read(text: string, options: { readonly isScript?: boolean; readonly input?: Output | undefined } = {}): Output {
    this.left.characters -= text.length;
    if (this.left.characters < 0) {
      this.report('unread');
      return NOTHING_KNOWN;
    }
    if (!this.#enter()) return NOTHING_KNOWN;
    const outer = this.#input;
    this.#input = options.input ?? outer;
    const words = plainCommand(text);
    let output: Output;
    if (words === undefined) {
      const script = parse(text);
      if (options.isScript !== false && (script.errors?.length ?? 0) > 0) this.report('unread');
      output = this.#statements(script.commands);
      if (mayHoldScripts(text) && !this.found.includes('unread') && holdsUnread(script, this.#substituted))
        this.report('unread');
    } else output = this.run(words, this.#input);
    this.#input = outer;
    this.#depth -= 1;
    if (this.#depth === this.#start && (this.#exits ?? this.#early) !== undefined) this.#end();
    return output;
  }

  /**
   * Reads a script for a later shell: its variables and its folder stay apart. Reports its findings here unless they are
   * `known`, and returns all of them. A shell of its own cannot change the folder of this shell.
   */
  readApart({ texts, behind = [], path, isScript, known }: ApartScript): ReadonlySet<FindingId> {
    const apart = new ShellReader(this.world, 0, this.#rules, this.left);
    if (!this.#enter()) return new Set(this.found);
    apart.#depth = this.#depth;
    apart.#start = this.#depth;
    apart.variables.folder = this.variables.folder;
    for (const name of ['0', 'BASH_SOURCE']) apart.variables.set(name, plainWord(path));
    apart.variables.withArguments([], () => {
      for (const text of behind) apart.read(text, { isScript: false });
      const before = [...apart.found];
      apart.found.length = 0;
      for (const text of texts) apart.read(text, { isScript });
      for (const id of apart.found) if (id !== 'hidden-folder' && known?.has(id) !== true) this.report(id);
      apart.found.push(...before);
    });
    this.#depth -= 1;
    return new Set(apart.found);
  }

  calculate(part: ArithmeticExpansionPart): void {
    if (!this.#enter()) return;
    readArithmetic(part.expression, this);
    this.#depth -= 1;
  }

  evaluate(text: string): void {
    const isScript = mayHoldScripts(text);
    if ((!isScript && !this.variables.mayHoldScripts) || !this.#enter()) return;
    this.left.commands -= 1;
    this.left.characters -= text.length;
    if (this.left.commands < 0 || this.left.characters < 0) this.report('unread');
    // a heredoc replaces what the shell replaces in a subscript
    else if (isScript) this.read(`: <<${END}\n${text}\n${END}`);
    else for (const [name] of text.matchAll(NAME)) this.evaluate(this.variables.get(name).text);
    this.#depth -= 1;
  }

  substitute(script: ParsedScript): Output {
    this.#substituted.add(script);
    const { folder } = this.variables;
    if (!this.#enter()) return NOTHING_KNOWN;
    if ((script.errors?.length ?? 0) > 0) this.report('unread');
    const output = this.#statements(script.commands);
    this.#depth -= 1;
    this.variables.folder = folder;
    return output;
  }

  feed(script: ParsedScript): void {
    this.#substituted.add(script);
    if (!this.#enter()) return;
    this.#statements(script.commands);
    this.#depth -= 1;
  }

  /** Judges a command of these words. */
  run(words: readonly ShellWord[], input: Output | undefined): Output {
    if (words.length === 0) return NOTHING_KNOWN;
    // a command with many words is more work than a command with few
    this.left.commands -= 1 + words.length / 8;
    if (this.left.commands < 0) {
      this.report('unread');
      return NOTHING_KNOWN;
    }
    if (!this.#enter()) return NOTHING_KNOWN;
    const own = this.#functions?.get((words[0] as ShellWord).text);
    const output =
      own === undefined
        ? this.#rules.judge(words, input, this)
        : this.variables.withArguments(words.slice(1), () => this.#within(input, () => this.#node(own as CommandNode)));
    this.#depth -= 1;
    return output;
  }

  /** Enters the next level of scripts and commands. Returns false and reports it if that would be too deep. */
  #enter(): boolean {
    if (this.#depth < MAX_DEPTH) {
      this.#depth += 1;
      return true;
    }
    this.report('unread');
    return false;
  }

  #within(input: Output | undefined, work: () => Output): Output {
    const outer = this.#input;
    this.#input = input ?? outer;
    const output = work();
    this.#input = outer;
    return output;
  }

  #statements(statements: readonly Statement[]): Output {
    if (statements.length === 1) return this.#statement(statements[0] as Statement);
    let output: Output = NO_TEXT;
    for (const statement of statements) output = joined(output, this.#statement(statement));
    return output;
  }

  #statement({ command }: Statement): Output {
    if (command.type === 'Command') return this.#command(command);
    return command.type === 'AndOr' ? this.#all(command.commands) : this.#pipeline(command);
  }

  #all(nodes: readonly PipelineNode[]): Output {
    let output: Output = NO_TEXT;
    for (const node of nodes) output = joined(output, this.#pipeline(node));
    return output;
  }

  #pipeline(node: PipelineNode): Output {
    if (node.type !== 'Pipeline') return this.#node(node);
    let output: Output | undefined;
    const { folder } = this.variables;
    const outer = this.#input;
    for (const command of node.commands) {
      this.#input = output ?? outer;
      output = this.#node(command);
    }
    this.#input = outer;
    if (node.commands.length > 1) this.variables.folder = folder;
    return output ?? NOTHING_KNOWN;
  }

  #node(node: CommandNode | SyntaxNode): Output {
    if (node.type === 'Command') return this.#command(node);
    if (node.type === 'Pipeline') return this.#pipeline(node);
    if (node.type === 'AndOr') return this.#all(node.commands);
    if (node.type === 'CompoundList') return this.#statements(node.commands);
    if (node.type === 'Coproc') return this.#node(node.body);
    if (node.type === 'Redirected') return this.#redirected(node);
    if (!this.#enter()) return NOTHING_KNOWN;
    const output = this.#compound(node);
    this.#depth -= 1;
    return output;
  }

  #compound(node: SyntaxNode): Output {
    if (node.type === 'BraceGroup') return this.#statements(node.body.commands);
    if (node.type === 'Subshell') return this.#apart(() => this.#statements(node.body.commands));
    if (node.type === 'Function') return this.#define(node);
    if (node.type === 'For' || node.type === 'Select')
      return this.#loop(node.name.value, node.wordlist ?? [], node.body.commands);
    if ((node.type === 'TestUnary' || node.type === 'TestBinary') && EVALUATES.test(node.operator))
      for (const word of node.type === 'TestUnary' ? [node.operand] : [node.left, node.right])
        this.evaluate(resolveOne(word, this).text);
    return this.#children(node);
  }

  #redirected(node: Redirected): Output {
    const input = inputOf(node.redirects, this.#input, this);
    const output = this.#within(input, () => this.#node(node.command));
    writeTargets(node.redirects, output, this);
    return output;
  }

  /** Keeps a function, and reads it once, because a later action may call it with unknown arguments. */
  #define(node: FunctionNode): Output {
    const name = node.name.value;
    if (isBomb(name, node)) this.report('fork-bomb');
    if (name === 'cd' || name === 'pushd' || name === 'popd') this.report('hidden-folder');
    this.#functions ??= new Map();
    this.#functions.delete(name);
    let output: Output = NOTHING_KNOWN;
    this.#withheld(name, () => {
      output = this.variables.withArguments([], () => this.#node(node.body));
    });
    this.#functions.set(name, node.body);
    return output;
  }

  /** Reads the commands and words anywhere below a node whose order does not matter. */
  #children(node: SyntaxNode): Output {
    let output: Output = NO_TEXT;
    forEachChild(node, (child) => {
      if (child.type === 'Word') resolveWord(child, this);
      else if (isArithmetic(child)) readArithmetic(child, this);
      else if (child.type === 'Statement') output = joined(output, this.#statements([child]));
      else output = joined(output, this.#node(child));
    });
    return output;
  }

  #apart(work: () => Output): Output {
    const { folder } = this.variables;
    const output = work();
    this.variables.folder = folder;
    return output;
  }

  #loop(name: string, list: readonly Parameters<typeof resolveWord>[0][], body: readonly Statement[]): Output {
    const rounds = roundsOf(list.flatMap((word) => resolveWord(word, this)));
    let output: Output = NOTHING_KNOWN;
    for (const round of rounds) {
      this.variables.set(name, round);
      output = this.#statements(body);
    }
    return output;
  }

  #command(command: Command): Output {
    const words: ShellWord[] = [];
    let isRedirected = false;
    for (const part of command.prefix) {
      if (part.type === 'Assignment') {
        if (part.index) this.evaluate(resolveOne(part.index, this).text);
        this.#assign(part.name, part.value, command.name !== undefined);
      } else isRedirected = true;
    }
    if (command.name) resolveInto(words, command.name, this);
    for (const part of command.suffix) {
      if (part.type === 'Word') resolveInto(words, part, this);
      else if (part.type === 'Assignment') words.push(this.#assignment(part));
      else isRedirected = true;
    }
    if (!isRedirected) return this.run(words, this.#input);
    const { redirects } = command;
    const output = this.run(words, inputOf(redirects, this.#input, this));
    writeTargets(redirects, words.length === 0 ? NO_TEXT : output, this);
    return output;
  }

  /** Returns the word of an assignment behind a command, as in `export x=y`, or of an argument that looks like one. */
  #assignment(part: Extract<Command['suffix'][number], { type: 'Assignment' }>): ShellWord {
    if (part.index) this.evaluate(resolveOne(part.index, this).text);
    if (part.value.type === 'ArrayValue') {
      for (const element of part.value.elements) resolveWord(element, this);
      return plainWord(`${part.name}=${UNKNOWN}`);
    }
    const { text, origin } = resolveOne(part.value, this);
    return plainWord(`${part.name}=${text}`, origin);
  }

  #assign(
    name: string,
    value: Extract<Command['prefix'][number], { type: 'Assignment' }>['value'],
    isForOne: boolean,
  ): void {
    const word: ShellWord =
      value.type === 'ArrayValue'
        ? plainWord(value.elements.map((one) => resolveOne(one, this).text).join(' '))
        : resolveOne(value, this);
    const assignment = { ...word, text: `${name}=${word.text}` };
    this.#rules.judge([plainWord(isForOne ? 'env' : 'export'), assignment], undefined, this);
  }
}

function isArithmetic(node: SyntaxNode): node is ArithmeticExpression {
  return node.type.startsWith('Arithmetic') && !NO_EXPRESSION.has(node.type);
}

const NO_EXPRESSION: ReadonlySet<SyntaxNode['type']> = new Set([
  'ArithmeticExpansion',
  'ArithmeticCommand',
  'ArithmeticFor',
]);

/** Chooses the words for the rounds of a loop: the first plain name, and all others; beyond 8, one unknown word. */
function roundsOf(words: readonly ShellWord[]): readonly ShellWord[] {
  const isPlain = ({ text }: ShellWord): boolean => /^[\w@%+,-][\w.@%+,-]*$/.test(text);
  const first = words.find(isPlain);
  const chosen = [...(first ? [first] : []), ...words.filter((word) => !isPlain(word))];
  if (chosen.length === 0) return [plainWord(UNKNOWN)];
  return chosen.length > 8 ? [...chosen.slice(0, 7), plainWord(UNKNOWN)] : chosen;
}
