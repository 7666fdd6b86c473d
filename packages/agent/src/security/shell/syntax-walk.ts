import {
  type ArithmeticExpression,
  type CommandNode,
  type CompoundCommand,
  type Function as FunctionNode,
  forEachChild,
  type PipelineNode,
  type Redirected,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import type { FindingId } from '../facts/findings.ts';
import { UNKNOWN } from '../facts/places.ts';
import { isBomb } from './fork-bomb.ts';
import { inputOf, writeTargets } from './redirections.ts';
import { readArithmetic, resolveOne, resolveWord } from './resolve.ts';
import { runCommand, type RunningShell } from './simple-command.ts';
import { joined, NO_TEXT, NOTHING_KNOWN, type Output, plainWord, type ShellWord } from './word.ts';

/** Operators of `[[ … ]]` whose operands are numbers or names of variables. */
const EVALUATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** The shell in which a script runs. */
interface ScriptShell extends RunningShell {
  report(id: FindingId): void;
  /** Does a work one level deeper; reports and leaves out a work that would be too deep. */
  nested(work: () => Output): Output;
  /** Withholds the findings of a work, named by a text, that needs a variable which has no value yet. */
  withhold(text: string, work: () => void): void;
}

/** Walks through the trees of scripts as a shell would run them: every branch is taken, and functions are kept. */
export class SyntaxWalk {
  readonly #shell: ScriptShell;
  #functions: Map<string, CompoundCommand | SyntaxNode> | undefined;
  #input: Output | undefined;

  constructor(shell: ScriptShell) {
    this.#shell = shell;
  }

  /** The input of commands that are not redirected. */
  get input(): Output | undefined {
    return this.#input;
  }

  /** Returns the work of the function of a name; `undefined` if the script has none. */
  functionOf(name: string): (() => Output) | undefined {
    const own = this.#functions?.get(name);
    return own && (() => this.#node(own as CommandNode));
  }

  /** Does a work whose commands have this input; `undefined`: the same input as now. */
  within(input: Output | undefined, work: () => Output): Output {
    const outer = this.#input;
    this.#input = input ?? outer;
    const output = work();
    this.#input = outer;
    return output;
  }

  /** Runs the statements of a script one after the other. */
  statements(statements: readonly Statement[]): Output {
    if (statements.length === 1) return this.#statement(statements[0] as Statement);
    let output: Output = NO_TEXT;
    for (const statement of statements) output = joined(output, this.#statement(statement));
    return output;
  }

  #statement({ command }: Statement): Output {
    if (command.type === 'Command') return runCommand(command, this.#input, this.#shell);
    return command.type === 'AndOr' ? this.#all(command.commands) : this.#pipeline(command);
  }

  #all(nodes: readonly PipelineNode[]): Output {
    let output: Output = NO_TEXT;
    for (const node of nodes) output = joined(output, this.#pipeline(node));
    return output;
  }

  #pipeline(node: PipelineNode): Output {
    if (node.type !== 'Pipeline') return this.#node(node);
    const commands = (): Output => {
      let output: Output | undefined;
      for (const command of node.commands) output = this.within(output, () => this.#node(command));
      return output ?? NOTHING_KNOWN;
    };
    return node.commands.length > 1 ? this.#shell.variables.withFolder(commands) : commands();
  }

  #node(node: CommandNode | SyntaxNode): Output {
    if (node.type === 'Command') return runCommand(node, this.#input, this.#shell);
    if (node.type === 'Pipeline') return this.#pipeline(node);
    if (node.type === 'AndOr') return this.#all(node.commands);
    if (node.type === 'CompoundList') return this.statements(node.commands);
    if (node.type === 'Coproc') return this.#node(node.body);
    if (node.type === 'Redirected') return this.#redirected(node);
    return this.#shell.nested(() => this.#compound(node));
  }

  #compound(node: SyntaxNode): Output {
    if (node.type === 'BraceGroup') return this.statements(node.body.commands);
    if (node.type === 'Subshell') return this.#shell.variables.withFolder(() => this.statements(node.body.commands));
    if (node.type === 'Function') return this.#define(node);
    if (node.type === 'For' || node.type === 'Select')
      return this.#loop(node.name.value, node.wordlist ?? [], node.body.commands);
    if ((node.type === 'TestUnary' || node.type === 'TestBinary') && EVALUATES.test(node.operator))
      for (const word of node.type === 'TestUnary' ? [node.operand] : [node.left, node.right])
        this.#shell.evaluate(resolveOne(word, this.#shell).text);
    return this.#children(node);
  }

  #redirected(node: Redirected): Output {
    const input = inputOf(node.redirects, this.#input, this.#shell);
    const output = this.within(input, () => this.#node(node.command));
    writeTargets(node.redirects, output, this.#shell);
    return output;
  }

  /** Keeps a function, and reads it once, because a later action may call it with unknown arguments. */
  #define(node: FunctionNode): Output {
    const name = node.name.value;
    if (isBomb(name, node)) this.#shell.report('fork-bomb');
    if (name === 'cd' || name === 'pushd' || name === 'popd') this.#shell.report('hidden-folder');
    this.#functions ??= new Map();
    this.#functions.delete(name);
    let output: Output = NOTHING_KNOWN;
    this.#shell.withhold(name, () => {
      output = this.#shell.variables.withArguments([], () => this.#node(node.body));
    });
    this.#functions.set(name, node.body);
    return output;
  }

  /** Reads the commands and words anywhere below a node whose order does not matter. */
  #children(node: SyntaxNode): Output {
    let output: Output = NO_TEXT;
    forEachChild(node, (child) => {
      if (child.type === 'Word') resolveWord(child, this.#shell);
      else if (isArithmetic(child)) readArithmetic(child, this.#shell);
      else if (child.type === 'Statement') output = joined(output, this.statements([child]));
      else output = joined(output, this.#node(child));
    });
    return output;
  }

  #loop(name: string, list: readonly Parameters<typeof resolveWord>[0][], body: readonly Statement[]): Output {
    const rounds = roundsOf(list.flatMap((word) => resolveWord(word, this.#shell)));
    let output: Output = NOTHING_KNOWN;
    for (const round of rounds) {
      this.#shell.variables.set(name, round);
      output = this.statements(body);
    }
    return output;
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
