import { isObject } from '@conv/core/platform';
import type { Edit, Replacement } from './read-edit.ts';

type Given = Readonly<Record<string, unknown>>;

/** Edits of a call, with the names of the arguments that they hold. */
export interface EditCall {
  readonly edits: readonly Edit[];
  readonly names: readonly string[];
}

/** The tools by the kinds of their actions, which tell them from tools of others with the same names. */
const PRESETS: Readonly<Record<string, (given: Given) => EditCall | undefined>> = {
  ReadFileAction: ({ file_path: path }) => (typeof path === 'string' ? viewing(['file_path'], path) : undefined),
  ListDirectoryAction: ({ dir_path: path }) => viewing(['dir_path'], path),
  // a pattern is looked for and not run; one of glob may begin with the folder to search
  GlobAction: ({ pattern, path }) => viewing(['pattern', 'path'], path, pattern),
  GrepAction: ({ path }) => viewing(['pattern', 'path', 'include'], path),
  WriteFileAction: ({ file_path: path, content }) =>
    typeof path === 'string' && typeof content === 'string'
      ? { edits: [written(path, content)], names: ['file_path', 'content'] }
      : undefined,
  EditAction: ({ file_path: path, old_string: old, new_string: added }) => {
    if (typeof path !== 'string' || typeof old !== 'string' || typeof added !== 'string') return undefined;
    const edit = old === '' ? written(path, added) : replaced(path, [{ old, added }]);
    return { edits: [edit], names: ['file_path', 'old_string', 'new_string'] };
  },
  ApplyPatchAction: ({ patch }) => {
    const edits = typeof patch === 'string' ? editsOf(patch) : [];
    return edits.length === 0 ? undefined : { edits, names: ['patch'] };
  },
};

/** Returns the edits of a call of a tool of OpenHands' presets; `undefined` for another tool, and for arguments of another form. */
export function presetEdits(given: unknown): EditCall | undefined {
  if (!isObject(given) || typeof given['kind'] !== 'string') return undefined;
  const { kind } = given;
  return Object.hasOwn(PRESETS, kind) ? PRESETS[kind]?.(given) : undefined;
}

function viewing(names: readonly string[], ...paths: readonly unknown[]): EditCall {
  const given = paths.filter((path) => typeof path === 'string');
  return { edits: given.map((path) => ({ command: 'view', path, given: {} })), names };
}

function written(path: string, text: string): Edit {
  return { command: 'create', path, given: { file_text: text } };
}

function replaced(path: string, replacements: readonly Replacement[], from = path): Edit {
  return { command: 'str_replace', path, given: {}, replacements, from };
}

const FILE = /^\*\*\* (Add|Delete|Update) File: /;
const MOVE = '*** Move to: ';

/** The most edits of a patch; a person could not check more. */
const MOST_EDITS = 2000;

/** Reads a patch, and more than would be applied: each line that may name a file names one. */
function editsOf(patch: string): readonly Edit[] {
  const sections: string[][] = [];
  for (const line of patch.split('\n')) {
    if (FILE.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections.length > MOST_EDITS ? [] : sections.flatMap(editsOfFile);
}

function editsOfFile([head = '', ...section]: readonly string[]): readonly Edit[] {
  const [mark = '', verb] = FILE.exec(head) ?? [];
  const path = head.slice(mark.length);
  if (verb === 'Delete') return [{ command: 'delete', path, given: {} }];
  if (verb === 'Add') return [written(path, textOf(section, '+'))];
  const changes = replacementsOf(section);
  const moved = section.find((line) => line.startsWith(MOVE));
  const edit = replaced(path, changes);
  return moved === undefined ? [edit] : [edit, replaced(moved.slice(MOVE.length), changes, path)];
}

/** Returns the replacements of a section: one for each of its parts between lines that begin with `@@`. */
function replacementsOf(section: readonly string[]): readonly Replacement[] {
  const parts: string[][] = [[]];
  for (const line of section) {
    if (line.startsWith('@@')) parts.push([]);
    else if (!line.startsWith('***')) parts.at(-1)?.push(line);
  }
  return parts
    .filter((part) => part.length > 0)
    .map((part) => ({ old: textOf(part, ' ', '-'), added: textOf(part, ' ', '+') }));
}

/** Returns the lines with these signs, without the sign. An empty line of a file may have lost its space. */
function textOf(lines: readonly string[], ...signs: readonly string[]): string {
  return lines
    .filter((line) => signs.includes(line[0] ?? ' '))
    .map((line) => line.slice(1))
    .join('\n');
}
