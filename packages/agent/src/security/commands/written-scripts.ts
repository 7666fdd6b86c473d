import type { ShellReader } from '../shell/reader.ts';
import { recipesOf } from './recipes.ts';

/** Files that shells run. */
const SHELL_FILE = /(?:\.(?:sh|bash|zsh|ksh|dash|command|bats)|(?:^|\/)\.(?:envrc|bash\w+|zsh\w+|profile))$/;
/** Shells and test programs with a grammar of their own. */
const OTHER_GRAMMAR = /\.(?:zsh|ksh|bats|zsh\w+)$/;
const HOOK_FILE = /(?:^|\/)(?:\.git\/hooks|\.husky|\.githooks)\/[^/]+$/;
const MAKE_FILE = /(?:(?:^|\/)(?:GNU)?[Mm]akefile|\.mk)$/;
const PACKAGE_FILE = /(?:^|\/)package\.json$/;
const SHEBANG = /^#!\s*\S*\/(?:env\s+(?:-\S+\s+)*)?(?:\S*\/)?(?:ba|da|z|k|a)?sh\b/;

/** A text that is written into a file. */
export interface Written {
  /** The whole text, or the part that an edit puts in. */
  readonly text: string;
  /** True for the whole text: errors in the grammar of a part are no errors of the file. */
  readonly isWhole: boolean;
  /** The whole file before and after an edit, if they are known. */
  readonly file?: { readonly before: string; readonly after: string } | undefined;
}

/** Reads the text that a command writes into a file; it may be appended, so without a first line it is a part. */
export function readMade(path: string, text: string | undefined, shell: ShellReader): void {
  if (text !== undefined) readWritten(path, { text, isWhole: SHEBANG.test(text) }, shell);
}

/** True if a program would run a file of this name as a script, whatever the file holds. */
export function isScriptName(path: string): boolean {
  return SHELL_FILE.test(path) || HOOK_FILE.test(path) || MAKE_FILE.test(path) || PACKAGE_FILE.test(path);
}

/**
 * Reports the effects of a script when it is written, because a later call runs it by its name alone. Reads scripts of
 * shells, recipes of make, and scripts of `package.json`; other files are not read.
 */
export function readWritten(path: string, written: Written, shell: ShellReader): void {
  const { text, isWhole, file } = written;
  if (PACKAGE_FILE.test(path)) {
    const before = new Set(file === undefined ? [] : packageScripts(file.before, true));
    for (const script of packageScripts(file?.after ?? text, isWhole || file !== undefined))
      if (!before.has(script)) shell.readApart({ texts: [script], path, isScript: true });
    return;
  }
  const parts = MAKE_FILE.test(path) ? recipesOf : isShell(path, file?.after ?? text) ? alone : undefined;
  if (parts === undefined) return;
  const isBash = !OTHER_GRAMMAR.test(path);
  if (file === undefined) return void shell.readApart({ texts: parts(text), path, isScript: isWhole && isBash });
  // the part with the variables of the file, and what the part changes in the meaning of the rest
  const known = shell.readApart({ texts: parts(text), behind: parts(file.before), path, isScript: false });
  shell.readApart({ texts: parts(file.after), path, isScript: isBash, known });
}

function isShell(path: string, text: string): boolean {
  return SHELL_FILE.test(path) || HOOK_FILE.test(path) || SHEBANG.test(text);
}

function alone(text: string): readonly string[] {
  return [text];
}

const MEMBER = /"[^"\n]*"\s*:\s*("(?:[^"\\\n]|\\.)*\s(?:[^"\\\n]|\\.)*")/g;

/** Returns the scripts of a `package.json`. In a part of one every text with a blank may be a script. */
function packageScripts(text: string, isWhole: boolean): readonly string[] {
  const { scripts } = (isWhole ? parsed(text) : undefined) ?? {};
  if (typeof scripts === 'object' && scripts !== null)
    return Object.values(scripts).filter((script) => typeof script === 'string');
  if (isWhole && parsed(text) !== undefined) return [];
  return [...text.matchAll(MEMBER)].flatMap(([, member = '']) => {
    const script = parsed(`{"scripts":${member}}`)?.scripts;
    return typeof script === 'string' ? [script] : [];
  });
}

function parsed(text: string): { readonly scripts?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
