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
  if (call.name.startsWith('fd')) runEach(call);
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

const FD_RUNS = /^(?:-x|-X|--exec|--exec-batch)$/;
const FD_VALUES = '-d -E -t -e -S -c -j --max-depth --min-depth --exclude --type --extension --size --color --threads';

/** Judges `fd pattern folder -x program …`: the words behind the option belong to the program, up to a `;`. */
function runEach({ texts, words, shell }: Call): void {
  const at = texts.findIndex((text) => FD_RUNS.test(text));
  if (at === -1) return;
  const end = texts.indexOf(';', at);
  const others = end === -1 ? words.slice(0, at) : [...words.slice(0, at), ...words.slice(end + 1)];
  const [pattern, ...given] = operandsOf({ words: others }, FD_VALUES);
  const command = words.slice(at + 1, end === -1 ? undefined : end);
  const isNamed = command.some(({ text }) => text.includes('{'));
  for (const root of given.length === 0 ? ['.'] : given.map(({ text }) => text)) {
    const found = nameFound(root, pattern !== undefined && pattern.text !== '.');
    const run = command.map((word) => plainWord(word.text.replaceAll(/\{[/.]*\}/g, found), word.origin));
    shell.run(isNamed ? run : [...run, plainWord(found)], undefined);
  }
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
