import {
  type ArithmeticExpansionPart,
  type ArithmeticExpression,
  type DoubleQuotedChild,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { UNKNOWN } from '../facts/places.ts';
import { expand } from './expansions.ts';
import type { Variables } from './variables.ts';
import { MAX_WORD, type Output, plainWord, type ShellWord, withoutBraces } from './word.ts';

/** Stands in a text for a border between words. */
const BORDER = '\u0002';

/** Runs the scripts that stand inside of words. */
export interface Substitutions {
  readonly variables: Variables;
  /** Reads a script in brackets and gives its output. */
  substitute(script: ParsedScript): Output;
  /** Reads a script that is given the output of the command which names it: `>(…)`. */
  feed(script: ParsedScript): void;
  /** Reads the scripts in a number. */
  calculate(part: ArithmeticExpansionPart): void;
  /** Reads the scripts in a text that the shell takes for a number or for the name of a variable: `a[$(…)]`. */
  evaluate(text: string): void;
}

/** Text between quotes in which nothing is replaced; `undefined`: the grammar decides. */
function quotedText(text: string): string | undefined {
  const quote = text.charCodeAt(0);
  if (quote !== SINGLE && quote !== DOUBLE) return undefined;
  const last = text.length - 1;
  if (last === 0 || last > MAX_WORD) return undefined;
  for (let at = 1; at < last; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return undefined;
    if (quote === DOUBLE && (code === DOLLAR || code === BACKSLASH || code === BACKTICK)) return undefined;
  }
  return text.charCodeAt(last) === quote ? text.slice(1, -1) : undefined;
}

const SINGLE = 39;
const DOUBLE = 34;
const DOLLAR = 36;
const BACKSLASH = 92;
const BACKTICK = 96;

/** Appends the words that a word of a script will be; none when it is empty and not quoted. */
export function resolveInto(words: ShellWord[], word: Word, shell: Substitutions): void {
  const quoted = quotedText(word.text);
  if (quoted !== undefined) words.push(plainWord(quoted));
  else if (word.parts === undefined) words.push(plainWord(word.text.length > MAX_WORD ? UNKNOWN : word.value));
  else words.push(...resolveWord(word, shell));
}

/** The words that a word of a script will be; none when it is empty and not quoted. */
export function resolveWord(word: Word, shell: Substitutions): readonly ShellWord[] {
  const { parts } = word;
  if (parts === undefined) return word.text.length > MAX_WORD ? [plainWord(UNKNOWN)] : [plainWord(word.value)];
  const builder = new Builder(shell);
  let hasBraces = false;
  for (const part of parts) {
    builder.add(part, false);
    hasBraces ||= part.type === 'BraceExpansion';
  }
  const words = builder.words();
  return hasBraces ? words.flatMap((one) => withoutBraces(one)) : words;
}

/** The words as one: what an assignment, a redirection or a quoted text is. */
export function resolveOne(word: Word | undefined, shell: Substitutions): ShellWord {
  if (word === undefined) return plainWord('');
  const quoted = quotedText(word.text);
  return quoted === undefined ? joinedWord(word, shell) : plainWord(quoted);
}

/** The same for a word that may stand between quotes itself. */
function joinedWord(word: Word, shell: Substitutions): ShellWord {
  const words = resolveWord(word, shell);
  return words.length === 1
    ? (words[0] as ShellWord)
    : plainWord(
        words.map(({ text }) => text).join(' '),
        words.reduce((all, { origin }) => all | origin, 0),
      );
}

/** The text that parts of a heredoc make. */
export function resolveParts(parts: readonly WordPart[], shell: Substitutions): ShellWord {
  const builder = new Builder(shell);
  for (const part of parts) builder.add(part, true);
  return builder.words()[0] ?? plainWord('');
}

/** Reads the scripts in an expression, and in the texts that the shell takes for numbers. */
export function readArithmetic(expression: ArithmeticExpression | undefined, shell: Substitutions): void {
  const nodes: SyntaxNode[] = expression === undefined ? [] : [expression];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.type === 'ArithmeticWord')
      shell.evaluate(node.parts === undefined ? node.value : resolveParts(node.parts, shell).text);
    else if (node.type !== 'ArithmeticCommandExpansion') forEachChild(node, (child) => void nodes.push(child));
    else if (node.script !== undefined) shell.substitute(node.script);
  }
}

class Builder {
  readonly #shell: Substitutions;
  #text = '';
  #origin = 0;
  #isQuoted = false;
  #output: Output | undefined;

  constructor(shell: Substitutions) {
    this.#shell = shell;
  }

  words(): readonly ShellWord[] {
    const text = this.#text.length > MAX_WORD ? UNKNOWN : this.#text;
    if (!text.includes(BORDER))
      return text !== '' || this.#isQuoted ? [plainWord(text, this.#origin, this.#output)] : [];
    return text
      .split(BORDER)
      .filter((one) => one !== '')
      .map((one) => plainWord(one, this.#origin, this.#output));
  }

  add(part: WordPart | DoubleQuotedChild, isQuoted: boolean): void {
    switch (part.type) {
      case 'Literal':
        this.#text += part.value;
        return;
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        this.#isQuoted = true;
        this.#text += part.value;
        return;
      case 'DoubleQuoted':
      case 'LocaleString':
        this.#isQuoted = true;
        for (const child of part.parts) this.add(child, true);
        return;
      case 'SimpleExpansion':
        if (part.text === '$@' && isQuoted) return this.#putArguments();
        return this.#put(this.#shell.variables.get(part.text.slice(1)), isQuoted);
      case 'ParameterExpansion':
        return this.#put(
          expand(part, (word) => joinedWord(word, this.#shell), this.#shell),
          // all elements of an array are words, in quotes, too
          isQuoted && part.index?.text !== '@',
        );
      case 'CommandExpansion':
        return this.#putOutput(part.script, isQuoted);
      case 'ProcessSubstitution':
        return this.#putProcess(part.operator, part.script);
      case 'ArithmeticExpansion':
        return this.#putNumber(part);
      case 'BraceExpansion':
        if (part.parts === undefined) this.#text += part.text.replaceAll(/\\(.)/gs, '$1');
        else {
          this.#text += '{';
          for (const child of part.parts) this.add(child, true);
          this.#text += '}';
        }
        return;
      case 'ExtendedGlob':
        this.#readParts(part.parts);
        this.#text += '*';
        return;
      case 'Glob':
        this.#readParts(part.parts);
        this.#text += part.text;
    }
  }

  #put({ text, origin }: Pick<ShellWord, 'text' | 'origin'>, isQuoted: boolean): void {
    this.#origin |= origin;
    if (isQuoted) this.#text += text;
    else {
      const { separators } = this.#shell.variables;
      const parted = separators === '' ? text : text.replaceAll(/\W/g, (one) => (separators.includes(one) ? ' ' : one));
      this.#text += parted.replaceAll(/[ \t\n]+/g, BORDER);
    }
  }

  /** All arguments are words of their own, in quotes, too. */
  #putArguments(): void {
    const { text, origin } = this.#shell.variables.get('@');
    const words = this.#shell.variables.arguments;
    this.#origin |= words === undefined ? origin : words.reduce((all, word) => all | word.origin, origin);
    this.#text += words === undefined ? text : words.map((word) => word.text).join(BORDER);
  }

  /** Reads the scripts in a number. The number itself is of no interest. */
  #putNumber(part: ArithmeticExpansionPart): void {
    const isPlain = !part.text.includes('$', 1) && !part.text.includes('`');
    if (!isPlain) this.#shell.calculate(part);
    else this.#shell.evaluate(part.text.slice(2, -1));
    this.#text += '1';
  }

  /** Reads the scripts in parts whose text is of no interest. */
  #readParts(parts: readonly WordPart[] | undefined): void {
    if (parts !== undefined) resolveParts(parts, this.#shell);
  }

  #putOutput(script: ParsedScript | undefined, isQuoted: boolean): void {
    if (script === undefined) return;
    const { text, origin } = this.#shell.substitute(script);
    this.#put({ text: text === undefined ? UNKNOWN : text.replace(/\n+$/, ''), origin }, isQuoted);
  }

  #putProcess(operator: '<' | '>', script: ParsedScript | undefined): void {
    if (script === undefined) return;
    this.#text += '/dev/fd/9';
    if (operator === '>') return this.#shell.feed(script);
    this.#output = this.#shell.substitute(script);
    this.#origin |= this.#output.origin;
  }
}
