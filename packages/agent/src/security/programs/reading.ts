import { UNKNOWN } from '../facts/places.ts';
import { Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, namesOf, operandsOf, type Program, valueOf, wordSet } from '../commands/call.ts';
import { readFrom } from '../commands/file-access.ts';
import { writeNamed } from '../commands/written-places.ts';
import { possiblePaths } from '../commands/possible-paths.ts';

const ALWAYS_DEEP = wordSet('rg ag ack zip tar');
/** Programs whose options `-r` and `-R` are about something else than folders. */
const NEVER_DEEP = wordSet('sort tail jq yq less more xxd shuf cut bat');

/** Programs that show their operands. */
export const reading = (call: Call, files: readonly ShellWord[]): Output => {
  let origin = call.input?.origin ?? 0;
  const isDeep = ALWAYS_DEEP.has(call.name) || (!NEVER_DEEP.has(call.name) && hasOption(call.texts, 'rR', 'recursive'));
  for (const word of files)
    origin |= word.origin | (word.output?.origin ?? 0) | readFrom(word.text, call.shell, isDeep);
  const first = files[0];
  if (files.length === 1 && first !== undefined && call.name === 'cat') {
    const made = call.shell.madeAt(first.text);
    return made ?? first.output ?? { text: undefined, origin, file: first.text };
  }
  return { text: undefined, origin };
};

const cat: Program = (call) => {
  const files = operandsOf(call);
  return files.length === 0 && call.input ? call.input : reading(call, files);
};

/** Options with a value. Any other option takes none, so that a file behind it is seen. */
const VALUES_OF_GREP: Readonly<Record<string, string>> = {
  grep: '-e -f -A -B -C -m -d -D --regexp --file --include --exclude --exclude-dir',
  rg: '-e -f -A -B -C -m -g -t -T -j -M -d -r --regexp --file --glob --iglob --type --type-not --pre --pre-glob --max-depth --sort --color',
  ag: '-A -B -C -m -G --ignore --ignore-dir --depth',
  ack: '-A -B -C -m -t --type --ignore-dir --ignore-file',
};

const grep: Program = (call) => {
  const { shell } = call;
  const patterns = call.name === 'ag' || call.name === 'ack' ? undefined : valueOf(call, '-f', '--file');
  const isGiven = patterns !== undefined || valueOf(call, '-e', '--regexp') !== undefined;
  const given = operandsOf(call, VALUES_OF_GREP[call.name] ?? VALUES_OF_GREP['grep']).slice(isGiven ? 0 : 1);
  const files = patterns === undefined ? given : [...given, patterns];
  const pre = valueOf(call, '--pre');
  if (pre !== undefined) shell.read(pre.text);
  const { origin } = reading(call, files);
  const isList = call.texts.some((text) => /^-\w*[lL]|^--files/.test(text));
  return { text: isList ? listed(files[0]?.text) : undefined, origin };
};

/** Names below a folder, none of which is known. */
export function listed(folder: string | undefined): string {
  return folder === undefined || folder === '.' ? `./${UNKNOWN}` : `${folder.replace(/\/+$/, '')}/${UNKNOWN}`;
}

const DECODES = /^(?:-d|-di|-D|--d\w*|-r|-rp|-r?p?s?)$/;

/** base64, xxd, gzip: a hidden text becomes legible. */
const decoder: Program = (call) => {
  const { texts, name } = call;
  const { origin } = reading(call, possiblePaths(call.words));
  const isDecoding =
    /^(?:rev|tr|uudecode|zcat|gunzip|bzcat|xzcat|unzstd|uncompress|rot13)$/.test(name) ||
    texts.some((text) => DECODES.test(text));
  return { text: undefined, origin: origin | (isDecoding ? Origin.DECODED : 0) };
};

const tr: Program = (call) => {
  const origin = call.input?.origin ?? 0;
  const isTranslation = !call.texts[0]?.startsWith('-') && !/^(?:\\[0nrt]|[ ,:;|])$/.test(call.texts[0] ?? '');
  return { text: undefined, origin: origin | (isTranslation ? Origin.DECODED : 0) };
};

/** Judges programs that pass on a part of their input or their files. */
const filter: Program = (call) => {
  if (HAS_OUTPUT.has(call.name)) writeNamed(call, 'oO');
  return reading(call, possiblePaths(call.words));
};

/** Filters that write a file which an option names. */
const HAS_OUTPUT = wordSet('sort shuf less xmllint iconv');

const count: Program = (call) => ({ ...reading(call, possiblePaths(call.words)), text: '1' });

/** Programs that print their files, or a part of their input. */
export const readingPrograms: Readonly<Record<string, Program>> = {
  cat,
  tr,
  ...namesOf(grep, 'grep egrep fgrep zgrep rg ag ack'),
  ...namesOf(decoder, 'base64 base32 basenc xxd uudecode rev zcat gunzip gzip bzcat xzcat bunzip2 unxz unzstd'),
  ...namesOf(
    filter,
    'head tail sort uniq cut less more bat nl tac strings od hexdump jq yq column fold fmt paste comm diff cmp xmllint nano open xdg-open csvcut shuf split iconv file2',
  ),
  ...namesOf(count, 'wc nproc seq expr md5sum sha1sum sha256sum'),
};
