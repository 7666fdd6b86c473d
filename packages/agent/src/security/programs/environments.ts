import { type Call, namesOf, type Program } from '../commands/call.ts';
import { verbsOf } from '../commands/verbs.ts';
import type { Output, ShellWord } from '../shell/word.ts';

/** A tool of mise that comes from elsewhere than its own registry. */
const BACKEND = /^(?:npm|pipx|cargo|gem|go|ubi|github|gitlab|http|spm|dotnet|asdf|vfox|aqua):/;

/** Judges managers of versions by the program behind `exec`. */
const versions: Program = ({ name, texts, words, shell, input }) => {
  if (/^(?:x|exec|use|install|i)$/.test(texts[0] ?? '') && texts.some((text) => BACKEND.test(text)))
    shell.report('install');
  if (name === 'volta' && texts[0] === 'install') shell.report('install');
  let output: Output | undefined;
  for (const at of verbsOf(texts)) if (RUNS.test(`${name} ${texts[at]}`)) output = runBehind(words.slice(at + 1));
  return output;

  function runBehind(behind: readonly ShellWord[]): Output | undefined {
    const given = behind.map(({ text }) => text);
    const end = given.indexOf('--');
    const command = given.findIndex((text) => text === '-c' || text === '--command');
    if (command !== -1 && (end === -1 || command < end)) return shell.read(given[command + 1] ?? '', { input });
    if (end !== -1) return shell.run(behind.slice(end + 1), input);
    let last: Output | undefined;
    for (const verb of verbsOf(given)) {
      const isVersion = VERSION.test(given[verb] ?? '');
      last = shell.run(behind.slice(isVersion ? verb + 1 : verb), input);
    }
    return last;
  }
};

/** Commands that run a program in the environment of a version. */
const RUNS = /^(?:\S+ (?:exec|x)|volta run)$/;
/** A version that stands in front of the program. */
const VERSION = /^(?:v?\d[\d.]*|lts(?:\/\S+)?|node|stable|default|[\w:/-]+@[\w.-]+)$/;

/** An environment of a repository or of an address; those of nixpkgs are read by many. */
const FLAKE_ADDRESS =
  /^(?!github:nixos\/nixpkgs\b)(?:github|gitlab|sourcehut|git\+https?|git\+ssh|tarball\+https?|https?):/i;

/** Judges nix by the program, or the command line, that it starts in an environment. */
const nix: Program = ({ texts, words, shell, input }) => {
  if (texts.some((text) => FLAKE_ADDRESS.test(text))) shell.report('fetch-to-exec');
  const line = texts.findIndex((text) => text === '--run');
  if (line !== -1) return shell.read(texts[line + 1] ?? '', { input });
  const at = texts.findIndex((text) => text === '-c' || text === '--command');
  if (at === -1) return;
  const rest = words.slice(at + 1);
  return rest.length === 1 ? shell.read(rest[0]?.text ?? '', { input }) : shell.run(rest, input);
};

/** Judges `coreutils --coreutils-prog=rm …` as the program that it names. */
const coreutils: Program = ({ words, shell, input }: Call) => {
  const [first, ...rest] = words;
  const name = first?.text.replace(/^--coreutils-prog(?:-shebang)?=/, '');
  if (first !== undefined && name !== undefined) return shell.run([{ ...first, text: name }, ...rest], input);
};

/** Programs that start others in an environment of their own. */
export const environmentPrograms: Readonly<Record<string, Program>> = {
  coreutils,
  ...namesOf(versions, 'mise asdf rtx rbenv pyenv nodenv volta fnm nvm'),
  ...namesOf(nix, 'nix nix-shell'),
};
