import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';
import { writeTo } from '../commands/file-access.ts';
import { givenCode } from '../commands/given-code.ts';
import { verbsOf } from '../commands/verbs.ts';
import { type Output, plainWord } from '../shell/word.ts';
import { reportPackage, runPackage, runPrograms } from './package-runners.ts';

const INSTALLS = /^(?:install|binstall|quickinstall|add|i|in|get|upgrade|require|global|create-project)$/;

/** Options whose value is no package. */
const VALUES =
  '-r -c --requirement --constraint --prefix -C --filter --workspace --registry --index-url -i -t --target -e --editable -m --manifest-path -p --project --python -n';

/** Judges package managers by each word that may be their verb. */
const packages: Program = (call) => {
  const { name, texts, shell } = call;
  if (name === 'bun' && texts[0]?.startsWith('-') === true)
    for (const code of givenCode(call, 'bun')) readCode(code.text, shell);
  if (name === 'cargo') readWatched(call);
  const verbs = verbsOf(texts);
  let output: Output | undefined;
  for (const at of verbs.length === 0 ? [-1] : verbs) output = judgeVerb(call, at) ?? output;
  return output;
};

/** Judges commands that `cargo watch` gives to a shell. */
function readWatched(call: Call): void {
  for (const [at, text] of call.texts.entries())
    if (/^(?:-s|--shell)$/.test(text)) call.shell.read(call.texts[at + 1] ?? '', { isScript: false });
}

/** Packages that the project requires are its own choice; named ones come from outside. */
function judgeVerb(call: Call, at: number): Output | undefined {
  const { name, shell } = call;
  let command = call.texts[at] ?? '';
  // of pnpm, the option is about no folder
  const values = name === 'pnpm' ? VALUES : `${VALUES} -w`;
  const named = operandsOf({ words: call.words.slice(at + 1) }, values).map(({ text }) => text);
  if (
    command === 'publish' ||
    command === 'unpublish' ||
    (command === 'upload' && name === 'twine') ||
    command === 'push'
  )
    return shell.report(command === 'unpublish' ? 'destroy-service' : 'publish') as undefined;
  const started = start(call, at, named);
  if (started !== undefined) return started.output;
  if (name === 'uv' && command === 'tool') command = named.shift() ?? '';
  if (command === 'config' && named[0] === 'set') {
    shell.report(
      /script-shell|node-options|git|shell|ignore-scripts|registry|proxy/.test(named[1] ?? '')
        ? 'write-guard'
        : 'write-settings',
    );
    return undefined;
  }
  const isSystem = /^(?:apt|apt-get|aptitude|dnf|yum|apk|pacman|zypper|snap|brew|choco|winget|port)$/.test(name);
  const isRemoved =
    /^(?:uninstall|remove|purge|autoremove|erase|del)$/.test(command) ||
    (name === 'pacman' && call.texts[0]?.startsWith('-R') === true);
  if (isRemoved && (shell.isRoot || isSystem)) shell.report('machine');
  const folder = valueOf(call, '--target', '--prefix', '--root');
  if (folder && /^[/~]/.test(folder.text)) writeTo(folder.text, shell);
  if (INSTALLS.test(command) || (isSystem && call.texts[0]?.startsWith('-S') === true)) {
    const foreign = call.texts.some(
      (text) => /^(?:git\+|https?:|git:|ssh:)|\.(?:tgz|whl)$/.test(text) && !text.startsWith('.'),
    );
    if (named.some((text) => /^@?\w/.test(text)) || isSystem) shell.report('install');
    if (foreign)
      shell.report(call.texts.some((text) => /^(?:git\+https?|https?):/.test(text)) ? 'fetch-to-exec' : 'install');
  }
  return undefined;
}

/** Judges commands that start a program. Returns what it prints; `undefined` for a command that starts none. */
function start(call: Call, at: number, named: readonly string[]): { readonly output: Output | undefined } | undefined {
  const { name, shell, input, words } = call;
  const command = call.texts[at] ?? '';
  const before = words.slice(0, Math.max(at, 0));
  const behind = words.slice(at + 1);
  const spoken = `${name} ${command}`;
  if (RUNS_PACKAGE.test(spoken)) return { output: runPackage(call, behind, name !== 'npm', before) };
  if (spoken === 'uv tool' && named[0] === 'run')
    return {
      output: runPackage(
        call,
        behind.filter(({ text }) => text !== 'run'),
        true,
        before,
      ),
    };
  if (CREATES.test(spoken)) {
    reportPackage(call, named[0] ?? '');
    return { output: undefined };
  }
  if (spoken === 'bun exec') return { output: shell.read(named[0] ?? '') };
  if (spoken === 'npm explore') return { output: shell.run(words.slice(call.texts.indexOf('--') + 1), input) };
  if (spoken === 'yarn workspace') return { output: shell.run([plainWord('yarn'), ...words.slice(at + 2)], input) };
  if (spoken === 'yarn workspaces' && named[0] === 'foreach') return { output: inEach(call, at) };
  if (name === 'corepack' && MANAGERS.test(command))
    return { output: shell.run([plainWord(command.replace(/@.*$/, '')), ...behind], input) };
  if (!RUNS_PROGRAM.test(spoken)) return undefined;
  if (name === 'uv' && /^https?:/.test(named[0] ?? '')) shell.report('fetch-to-exec');
  if (name === 'uv' && valueOf({ words: [...before, ...behind] }, '--with')) shell.report('install');
  return { output: runPrograms(call, behind) };
}

/** Judges the command that yarn runs in each folder of a workspace. */
function inEach({ words, texts, shell, input }: Call, at: number): Output | undefined {
  const start = texts.indexOf('foreach', at) + 1;
  let output: Output | undefined;
  for (const verb of verbsOf(texts.slice(start)))
    output = shell.run([plainWord('yarn'), ...words.slice(start + verb)], input);
  return output;
}

/** Commands that run a program of a package, which all but those of npm fetch anew. npm takes the beginnings of its commands. */
const RUNS_PACKAGE = /^(?:npm (?:exec?|x)|(?:pnpm|yarn) dlx|bun x|(?:gem|pixi) exec)$/;

/** Commands that run the package `create-NAME`. */
const CREATES = /^(?:npm (?:init?|inn(?:it?)?|cr(?:e(?:ate?)?)?|crea)|(?:yarn|pnpm|bun) create)$/;

/** Commands that run a program which the project has. */
const RUNS_PROGRAM = /^(?:\S+ exec|(?:uv|poetry|pipenv|hatch|pdm|rye|pixi|conda|mamba) run)$/;

const MANAGERS = /^(?:npm|npx|pnpm|pnpx|yarn)(?:@.*)?$/;

/** Programs that manage packages. */
export const packagePrograms: Readonly<Record<string, Program>> = {
  ...namesOf(
    packages,
    'npm pnpm yarn bun pip pip3 uv poetry pipenv pdm rye hatch pixi apt apt-get aptitude dnf yum apk pacman zypper snap brew port gem cargo choco winget conda mamba composer bundle twine flit luarocks corepack',
  ),
};
