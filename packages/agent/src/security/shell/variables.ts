import { UNKNOWN } from '../facts/places.ts';
import { mayHoldScripts } from './unread-scripts.ts';
import { Origin, type ShellWord } from './word.ts';

/** Stands in a text for the number of the process that started the shell. */
export const PARENT = '\u0001';

/** Names of variables that are taken for secrets. */
const SECRET = /(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET\w*|TOKEN|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE_KEY)$/i;

/** The value of a variable. */
export type Value = Pick<ShellWord, 'text' | 'origin'>;

/** Variables that name a program by convention. */
const PROGRAMS: Readonly<Record<string, string>> = {
  PYTHON: 'python3',
  NODE: 'node',
  CC: 'cc',
  CXX: 'c++',
  MAKE: 'make',
  GO: 'go',
  NPM: 'npm',
  PIP: 'pip',
  SHELL: '/bin/bash',
  EDITOR: 'vi',
  PAGER: 'less',
};

/** The variables of a shell: variables that a script sets, and variables that every shell has. */
export class Variables {
  #set: Map<string, Value> | undefined;
  readonly #home: string;
  #arguments: readonly ShellWord[] | undefined;
  /** The working folder of the shell. */
  folder: string;
  previous: string;
  /** Runs before a variable gets another value. */
  beforeChange: (() => void) | undefined;
  /** True once the value of a variable was asked for that has none. */
  isMissing = false;
  /** True once a variable has a value that runs a script if it is taken for a number. */
  mayHoldScripts = false;
  /** Folders that the shell enters, for a caller that asks for them. */
  visited: Set<string> | undefined;

  constructor(home: string, folder: string) {
    this.#home = home;
    this.folder = folder;
    this.previous = folder;
  }

  set(name: string, value: Value): void {
    this.#set ??= new Map();
    if (this.beforeChange !== undefined && (this.#set.get(name) ?? value).text !== value.text) this.beforeChange();
    this.#set.set(name, value);
    this.mayHoldScripts ||= mayHoldScripts(value.text);
  }

  /** Characters beside blanks at which the shell splits unquoted text. */
  get separators(): string {
    return this.#set?.get('IFS')?.text ?? '';
  }

  /** The words that `$@` stands for. */
  get arguments(): readonly ShellWord[] | undefined {
    return this.#arguments;
  }

  /** Runs `work` with these words as `$1`, `$2` and so on. */
  withArguments<T>(words: readonly ShellWord[], work: () => T): T {
    const outer = this.#arguments;
    this.#arguments = words;
    const result = work();
    this.#arguments = outer;
    return result;
  }

  /** Runs `work`, which cannot change the working folder of this shell. */
  withFolder<T>(work: () => T): T {
    const { folder } = this;
    const result = work();
    this.folder = folder;
    return result;
  }

  get(name: string): Value {
    const found = this.#set?.get(name);
    if (found !== undefined) return found;
    const text = this.#known(name);
    this.isMissing ||= text === undefined;
    return { text: text ?? UNKNOWN, origin: text === undefined && SECRET.test(name) ? Origin.NAMED : Origin.NONE };
  }

  /** True if a variable has a value. */
  has(name: string): boolean {
    return this.#set?.has(name) === true || this.#known(name) !== undefined;
  }

  #known(name: string): string | undefined {
    if (/^[1-9@*]$/.test(name)) {
      if (this.#arguments === undefined) return '';
      return name === '@' || name === '*'
        ? this.#arguments.map(({ text }) => text).join(' ')
        : (this.#arguments[Number(name) - 1]?.text ?? UNKNOWN);
    }
    if (name === 'HOME') return this.#home;
    if (name === 'PWD') return this.folder;
    if (name === 'OLDPWD') return this.previous;
    if (name === 'TMPDIR' || name === 'TMP') return '/tmp';
    if (name === 'PPID') return PARENT;
    if (name === 'IFS') return ' ';
    if (Object.hasOwn(PROGRAMS, name)) return PROGRAMS[name];
    if (name === '#' || name === '?' || name === 'UID' || name === 'LINENO') return '0';
    return undefined;
  }
}
