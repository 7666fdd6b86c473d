import { isAbsolutePath, UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { plainWord, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, namesOf, operandsOf, type Program } from '../commands/call.ts';
import { linksTo, readFrom, writeTo } from '../commands/file-access.ts';

/** Matches an option behind which the folder of the links stands, also as the last of a group: `-sft`. */
const INTO_FOLDER = /^(?:-[a-su-zA-Z]*t|--target-directory)$/;
const INTO_JOINED = /^(?:-[a-su-zA-Z]*t|--target-directory=)(.+)$/;

/** A call of `ln`: the links' sources, the target, and the folder in which the links will be. */
interface Links {
  readonly sources: readonly ShellWord[];
  readonly target: ShellWord;
  /** The path of the folder, as a relative source of a symbolic link is read from it. */
  readonly folder: string;
}

function linksOf(call: Call): Links {
  const given = operandsOf(call, '-S --suffix');
  const at = call.words.findIndex(({ text }) => INTO_FOLDER.test(text));
  const joinedWord = call.words.find(({ text }) => text.startsWith('-') && INTO_JOINED.test(text));
  const joined = joinedWord && plainWord(INTO_JOINED.exec(joinedWord.text)?.[1] ?? '', joinedWord.origin);
  const folder = joined ?? (at === -1 ? undefined : call.words[at + 1]);
  if (folder !== undefined)
    return { sources: given.filter((word) => word !== folder), target: folder, folder: folder.text };
  // a single operand is linked into the folder of the shell
  const target = given.length > 1 ? (given.at(-1) as ShellWord) : plainWord('.');
  const sources = given.length > 1 ? given.slice(0, -1) : given;
  const isFolder = sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(target.text);
  return {
    sources,
    target,
    folder: isFolder ? target.text : `${target.text.slice(0, target.text.lastIndexOf('/') + 1)}.`,
  };
}

/** Makes links. The target of a symbolic link is read from the folder of the link, and any other path from the shell's. */
const ln: Program = (call) => {
  const { shell, texts } = call;
  const { sources, target, folder } = linksOf(call);
  const isFromLink = call.name === 'ln' && hasOption(texts, 's', 'symbolic') && !hasOption(texts, 'r', 'relative');
  let origin = 0;
  for (const source of sources) {
    const text = isFromLink && !isAbsolutePath(source.text) ? `${folder}/${source.text}` : source.text;
    origin |= readFrom(text, shell);
    linksTo(text, target.text, shell);
  }
  writeTo(target.text, shell);
  const [source] = sources;
  if (source !== undefined) made(source, target, origin, shell);
};

function made(source: ShellWord, target: ShellWord, origin: number, shell: ShellReader): void {
  if (source.text.includes(UNKNOWN)) return;
  shell.make(target.text, shell.madeAt(source.text) ?? { text: undefined, origin, file: source.text });
}

/** Programs that make links. */
export const linkingPrograms: Readonly<Record<string, Program>> = namesOf(ln, 'ln link');
