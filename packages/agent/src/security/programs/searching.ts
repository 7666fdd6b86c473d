import { UNKNOWN } from '../facts/places.ts';
import { privacyOf } from '../facts/private-files.ts';
import { Origin, plainWord, type ShellWord } from '../shell/word.ts';
import { type Call, namesOf, operandsOf, type Program } from '../commands/call.ts';
import { deletes, readFrom, writeTo } from '../commands/file-access.ts';
import { listed } from './reading.ts';

const MAX_RUNS = 20;

const FIND_WRITES = /^-f(?:print[0f]?|ls)$/;
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;

/** Judges `find` by its folders, and by the commands that it runs and the deletions that it makes. */
const find: Program = (call) => {
  const { shell, words, texts } = call;
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPOD]/.test(text));
  const folders = (first === -1 ? words : words.slice(0, first)).filter(({ text }) => !text.startsWith('-'));
  const roots = folders.length === 0 ? [plainWord('.')] : folders;
  const isNarrow =
    texts.some((text) =>
      /^-(?:i?name|i?path|i?regex|newer|mtime|mmin|size|empty|type|user|perm|depth|maxdepth)/.test(text),
    ) && texts.some((text) => /^-(?:i?name|i?path|i?regex|newer\w*|mtime|mmin|size|empty)$/.test(text));
  for (const [at, text] of texts.entries()) if (FIND_WRITES.test(text)) writeTo(texts[at + 1] ?? '', shell);
  if (call.name !== 'find') runEach(call, roots);
  if (texts.includes('environ')) shell.report('process-memory');
  if (texts.includes('-delete')) for (const root of roots) deleteFound(root, call, isNarrow);
  let runs = 0;
  for (const [at, text] of texts.entries()) {
    if (!FIND_RUNS.test(text)) continue;
    runs += 1;
    // real commands have fewer, and each of them reads all words behind it
    if (runs > MAX_RUNS) {
      shell.report('unread');
      return;
    }
    const end = texts.findIndex((one, index) => index > at && (one === ';' || one === '+'));
    const command = words.slice(at + 1, end === -1 ? undefined : end);
    for (const root of roots) {
      const found = nameFound(root.text, isNarrow);
      shell.run(
        command.map((word) => (word.text.includes('{}') ? { ...word, text: word.text.replaceAll('{}', found) } : word)),
        undefined,
      );
      if (!/^(?:ls|stat|echo|test|chmod|wc|file|basename|dirname|rm|touch|du)$/.test(command[0]?.text ?? ''))
        readFrom(root.text, shell, true);
    }
  }
  return { text: roots.map(({ text }) => nameFound(text, isNarrow)).join('\n'), origin: Origin.FOUND };
};

/** Judges `fd -x program …`: all words behind the option belong to the program. */
function runEach({ texts, words, shell }: Call, roots: readonly ShellWord[]): void {
  const at = texts.findIndex((text) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  if (at === -1) return;
  const found = listed(roots[0]?.text);
  shell.run(
    words.slice(at + 1).map((word) => plainWord(word.text.replaceAll('{}', found), word.origin)),
    undefined,
  );
}

/** Returns a name that a search finds; a pattern for the whole folder if nothing narrows the search. */
function nameFound(root: string, isNarrow: boolean): string {
  return isNarrow ? listed(root) : `${listed(root).slice(0, -1)}*`;
}

function deleteFound(root: ShellWord, { shell }: Call, isNarrow: boolean): void {
  const { kind } = shell.place(root.text);
  if (kind === 'inside' || kind === 'temporary' || (kind === 'workspace' && isNarrow)) return;
  deletes(root, shell, true);
}

const ls: Program = (call) => {
  const { shell } = call;
  const folders = operandsOf(call, '-I --ignore');
  for (const word of folders)
    if (privacyOf(shell.place(word.text), [], false) === 'process') shell.report('process-memory');
  return { text: folders.length === 0 ? `./${UNKNOWN}` : UNKNOWN, origin: Origin.NONE };
};

/** Programs that look for files. */
export const searchingPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(find, 'find fd fdfind bfs'),
  ...namesOf(ls, 'ls dir tree exa eza lsd'),
};
