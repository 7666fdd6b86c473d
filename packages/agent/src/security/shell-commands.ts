/** One command of a script: words up to the next separator. */
export interface ShellCommand {
  /** In lower case, without quotes; a redirection's sign stands alone. At least one. */
  readonly words: readonly string[];
  /** What comes before it is piped into it, or into the group that it stands in. */
  readonly isPiped: boolean;
  /** The command inside whose brackets it stands: `bash -c "$(…)"`, `. <(…)`, `eval(…)`. */
  readonly inside: ShellCommand | undefined;
}

interface Group {
  readonly command: ShellCommand | undefined;
  readonly isPiped: boolean;
}

const SEPARATOR = /\$\(|[<>]\(|&&|\|\||(?<!>)\|&?|[;`(){}\n]|(?<![<>])&(?!>)/g;
const REDIRECTION = /(?:[0-9]|&)?>(?:>|\||&(?=[0-9-])|&)?|<<<|<<-?|<>|<(?!=)/g;

/** The commands of one reading of a script, in order, whatever language it is in. Linear in its length. */
export function shellCommands(reading: string): readonly ShellCommand[] {
  const reader = new Reader();
  let start = 0;
  for (const match of reading.matchAll(SEPARATOR)) {
    const [separator] = match;
    reader.take(reading.slice(start, match.index));
    reader.separate(separator);
    start = match.index + separator.length;
  }
  reader.take(reading.slice(start));
  return reader.commands;
}

const RUN_OUTPUT: ShellCommand = { words: ['eval'], isPiped: false, inside: undefined };

class Reader {
  readonly commands: ShellCommand[] = [];
  readonly #groups: Group[] = [];
  #current: ShellCommand | undefined;
  #isPiped = false;
  #inBackticks = false;

  take(text: string): void {
    const words = wordsOf(text);
    if (words.length === 0) return;
    const group = this.#groups.at(-1);
    this.#current = { words, isPiped: this.#isPiped || (group?.isPiped ?? false), inside: group?.command };
    this.commands.push(this.#current);
    this.#isPiped = false;
  }

  separate(separator: string): void {
    if (separator === '|' || separator === '|&') this.#end(true);
    else if (separator === ')' || (separator === '`' && this.#inBackticks)) this.#close(separator);
    else if (separator.endsWith('(') || separator === '`') this.#open(separator);
    else if (separator === '{' || separator === '}') this.#current = undefined;
    else this.#end(separator === '\n' && this.#isPiped);
  }

  #end(isPiped: boolean): void {
    this.#current = undefined;
    this.#isPiped = isPiped;
  }

  #open(separator: string): void {
    const outer = this.#groups.at(-1);
    // What a substitution prints is run where a command would begin.
    const command = this.#current ?? (separator === '$(' ? RUN_OUTPUT : outer?.command);
    this.#groups.push({ command, isPiped: this.#isPiped || separator === '>(' || (outer?.isPiped ?? false) });
    if (separator === '`') this.#inBackticks = true;
    this.#end(false);
  }

  #close(separator: string): void {
    if (separator === '`') this.#inBackticks = false;
    this.#current = this.#groups.pop()?.command;
    this.#isPiped = false;
  }
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().replaceAll(REDIRECTION, ' $& ').split(' ');
  return words.filter((word) => word !== '').map(withoutWildcards);
}

const IN_PROGRAM_FOLDER = /^(?:\/usr)?\/(?:s?bin|[\w?*]{0,12}[?*][\w?*]{0,12})\/[\w?*]{0,12}[?*][\w?*]{0,12}$/;
/** What a wildcard is likely to stand for where programs are. */
const HIDDEN = ['rm', 'dd', 'sh', 'bash', 'curl', 'wget', 'mkfs', 'nc', 'sudo', 'chmod'];

/** `/bin/r?` and `/???/r?` as the program that a shell finds by them. */
function withoutWildcards(word: string): string {
  if (!IN_PROGRAM_FOLDER.test(word)) return word;
  const name = word.slice(word.lastIndexOf('/') + 1);
  if (!/\w/.test(name)) return word;
  // Of the second star on nothing is compared, so that matching takes no time.
  const [first = '', second] = name.split('*');
  const fits = (program: string): boolean =>
    (second === undefined ? program.length === first.length : program.length >= first.length) &&
    Array.from(first).every((letter, at) => letter === '?' || letter === program[at]) &&
    (second === undefined || name.split('*').length > 2 || program.endsWith(second.replaceAll('?', '')));
  return HIDDEN.find(fits) ?? word;
}

/** The program that a word names: `/bin/rm`, `x=rm` and `rm.exe` are one. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('=')) + 1).replace(/\.exe$/, '');
}

/** Whether a word names one of these programs. */
export function names(command: ShellCommand, programs: ReadonlySet<string>): boolean {
  return command.words.some((word) => programs.has(programName(word)));
}

/** The words behind the first that names one of these programs; `undefined` when none does. */
export function argumentsOf({ words }: ShellCommand, programs: ReadonlySet<string>): readonly string[] | undefined {
  const at = words.findIndex((word) => programs.has(programName(word)));
  return at === -1 ? undefined : words.slice(at + 1);
}

/** Programs that start the one behind them, and what stands before commands in files of other kinds. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'sudo doas su pkexec env xargs nohup time nice ionice timeout command builtin exec busybox stdbuf setsid chroot watch parallel then do else if while until ! run start'.split(
    ' ',
  ),
);
const ASSIGNMENT = /^[a-z_]\w*=/;

/** What a command may run: its first word, and any word when programs stand in front that run others. */
export function programsOf({ words }: ShellCommand): readonly string[] {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word) && !/^[-$#%@>:]$|:$/.test(word));
  const rest = words.slice(Math.max(first, 0)).map(programName);
  return WRAPPERS.has(rest[0] ?? '') ? rest : rest.slice(0, 1);
}

/** Words that are no options, up to the first redirection. */
export function operandsOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => /[<>]/.test(word));
  return (end === -1 ? words : words.slice(0, end)).filter((word) => !/^-./.test(word));
}

/** Whether an option stands among these words: one of its letters in a group of short ones, or a beginning of its long name. */
export function hasOption(words: readonly string[], letters: string, long: string): boolean {
  const end = words.indexOf('--');
  return (end === -1 ? words : words.slice(0, end)).some((word) =>
    word.startsWith('--')
      ? word.length > 2 && long.startsWith(word.slice(2).split('=', 1)[0] ?? '')
      : /^-[a-z]/.test(word) && Array.from(letters).some((letter) => word.includes(letter)),
  );
}
