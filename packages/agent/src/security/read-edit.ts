import { readFile, stat } from 'node:fs/promises';
import { isObject } from '@conv/core/platform';
import { deletes, readFrom, writeTo } from './commands/file-access.ts';
import { isScriptName, readWritten, type Written } from './commands/written-scripts.ts';
import { withoutLinks } from './facts/links.ts';
import { absolute, surroundingsOf } from './facts/places.ts';
import { MAX_SCRIPT } from './read-anything.ts';
import type { ShellReader } from './shell/reader.ts';
import { plainWord } from './shell/word.ts';

const EDITOR_COMMANDS = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit', 'write']);

/** A call of a file editor. */
export interface Edit {
  readonly command: string;
  readonly path: string;
  /** The other arguments. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The texts that it replaces, if they are not in the arguments. */
  readonly replacements?: readonly Replacement[];
  /** The file whose text it changes. Default: that of the path. */
  readonly from?: string;
}

/** A text that takes the place of another one. */
export interface Replacement {
  readonly old: string;
  readonly added: string;
}

/** Facts about the file of an edit, as they are before the edit runs. */
export interface FileFacts {
  /** The path without links, if it is another: inside the workspace it begins with the workspace. */
  readonly real: string | undefined;
  /** The text of the file, if it may be a script of which the edit changes a part. */
  readonly before: string | undefined;
}

/** Returns the edit that the arguments of a call stand for; `undefined` if they stand for another call. */
export function editIn(given: unknown): Edit | undefined {
  if (!isObject(given)) return undefined;
  const { command, path } = given;
  return typeof command === 'string' && typeof path === 'string' && EDITOR_COMMANDS.has(command)
    ? { command, path, given }
    : undefined;
}

/** Looks up the file of an edit, because a link may lead it out of the workspace. */
export async function factsOf(edit: Edit, workspace: string): Promise<FileFacts> {
  const { home } = surroundingsOf(workspace);
  const path = absolute(edit.path, workspace, home);
  if (!path.startsWith('/') || path.includes('\0')) return { real: undefined, before: undefined };
  const [real, root] = [await withoutLinks(path), await withoutLinks(workspace)];
  const isInside = real !== undefined && root !== undefined && (real === root || real.startsWith(`${root}/`));
  const named = isInside ? workspace + real.slice(root.length) : real;
  const source = edit.from === undefined ? path : absolute(edit.from, workspace, home);
  return { real: named === path ? undefined : named, before: await scriptBefore(edit, path, source) };
}

async function scriptBefore({ command }: Edit, path: string, source: string): Promise<string | undefined> {
  const hasEnding = /\.\w+$/.test(path);
  if ((command !== 'str_replace' && command !== 'insert') || (hasEnding && !isScriptName(path))) return undefined;
  try {
    const about = await stat(source);
    return !about.isFile() || about.size > MAX_SCRIPT ? undefined : await readFile(source, 'utf8');
  } catch {
    // there is no such file, or it is not for this user: then the editor cannot edit it either
    return undefined;
  }
}

/** Reads a call of a file editor: the file that it reaches, and the script that it writes. */
export function readEdit(edit: Edit, shell: ShellReader, facts: FileFacts | undefined): void {
  const { command, path } = edit;
  for (const one of facts?.real === undefined ? [path] : [path, facts.real]) {
    readFrom(one, shell);
    if (command !== 'view') writeTo(one, shell);
    if (command === 'delete') deletes(plainWord(one), shell, false);
  }
  const written = writtenBy(edit, facts?.before);
  if (written === undefined) return;
  readWritten(path, written, shell);
  if (facts?.real !== undefined && !isScriptName(path)) readWritten(facts.real, written, shell);
}

function writtenBy(edit: Edit, before: string | undefined): Written | undefined {
  const { command, path, given, replacements, from = path } = edit;
  if (replacements !== undefined) {
    const after = before === undefined ? undefined : allReplaced(before, replacements);
    // nothing of a file with a new name was read when it was written
    if (from !== path && after !== undefined) return { text: after, isWhole: true };
    const file = before === undefined || after === undefined ? undefined : { before, after };
    return { text: replacements.map(({ added }) => added).join('\n'), isWhole: false, file };
  }
  if (command === 'create' || command === 'write') {
    const text = given['file_text'] ?? given['content'];
    return typeof text === 'string' ? { text, isWhole: true } : undefined;
  }
  const text = given['new_str'];
  if (typeof text !== 'string') return undefined;
  const after = before === undefined ? undefined : edited(before, text, given);
  const file = before === undefined || after === undefined ? undefined : { before, after };
  return { text, isWhole: false, file };
}

function allReplaced(before: string, replacements: readonly Replacement[]): string | undefined {
  let after = before;
  for (const { old, added } of replacements) {
    const rest = old === '' ? [`${after}\n`, ''] : after.split(old);
    // each replacement might multiply the text
    if (rest.length === 1 || rest.length * added.length > MAX_SCRIPT) return undefined;
    after = rest.join(added);
  }
  return after;
}

function edited(before: string, text: string, given: Edit['given']): string | undefined {
  const { old_str: old, insert_line: line } = given;
  if (typeof line === 'number') {
    const lines = before.split('\n');
    return [...lines.slice(0, line), text, ...lines.slice(line)].join('\n');
  }
  if (typeof old !== 'string') return undefined;
  const at = before.indexOf(old);
  return at === -1 ? undefined : before.slice(0, at) + text + before.slice(at + old.length);
}
