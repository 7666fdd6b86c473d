import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';
import { writeTo } from '../commands/file-access.ts';
import { givenCode } from '../commands/given-code.ts';
import { type Output, plainWord } from '../shell/word.ts';
import { reportPackage, RUNNER_VALUES, runPackage } from './package-runners.ts';

const INSTALLS = /^(?:install|binstall|quickinstall|add|i|in|get|upgrade|require|global|create-project)$/;

/** Judges package managers. Packages that the project requires are its own choice; named ones come from outside. */
const packages: Program = (call) => {
  const { name, shell } = call;
  if (name === 'bun' && call.texts[0]?.startsWith('-') === true)
    for (const code of givenCode(call, 'bun')) readCode(code.text, shell);
  const operands = operandsOf(
    call,
    '-r -c --requirement --constraint --prefix -C --filter -w --workspace --registry --index-url -i -t --target -e --editable -g -m --manifest-path -p --project --python -n',
  );
  const [first = '', ...named] = operands.map(({ text }) => text).filter((text, index) => index > 0 || text[0] !== '+');
  let command = first;
  if (
    command === 'publish' ||
    command === 'unpublish' ||
    (command === 'upload' && name === 'twine') ||
    command === 'push'
  )
    return shell.report(command === 'unpublish' ? 'destroy-service' : 'publish') as undefined;
  const started = start(call, command, named);
  if (started !== undefined) return started.output;
  if (name === 'uv' && command === 'tool') command = named.shift() ?? '';
  if (command === 'config' && named[0] === 'set') {
    shell.report(
      /script-shell|node-options|git|shell|ignore-scripts|registry|proxy/.test(named[1] ?? '')
        ? 'write-guard'
        : 'write-settings',
    );
    return;
  }
  if (/^(?:uninstall|remove|purge|autoremove|erase)$/.test(command) && shell.isRoot) shell.report('machine');
  const folder = valueOf(call, '--target', '--prefix', '--root');
  if (folder && /^[/~]/.test(folder.text)) writeTo(folder.text, shell);
  const isSystem = /^(?:apt|apt-get|aptitude|dnf|yum|apk|pacman|zypper|snap|brew|choco|winget|port)$/.test(name);
  if (INSTALLS.test(command) || (isSystem && call.texts[0]?.startsWith('-S') === true)) {
    const foreign = call.texts.some(
      (text) => /^(?:git\+|https?:|git:|ssh:)|\.(?:tgz|whl)$/.test(text) && !text.startsWith('.'),
    );
    if (named.some((text) => /^@?\w/.test(text)) || isSystem) shell.report('install');
    if (foreign)
      shell.report(call.texts.some((text) => /^(?:git\+https?|https?):/.test(text)) ? 'fetch-to-exec' : 'install');
  }
};

/** Judges commands that start a program. Returns what it prints; `undefined` for a command that starts none. */
function start(
  call: Call,
  command: string,
  named: readonly string[],
): { readonly output: Output | undefined } | undefined {
  const { name, shell, input, words } = call;
  const at = call.texts.indexOf(command);
  const others = words.filter((_, index) => index !== at);
  const spoken = `${name} ${command}`;
  if (RUNS_PACKAGE.test(spoken)) return { output: runPackage(call, others, name !== 'npm') };
  if (spoken === 'uv tool' && named[0] === 'run')
    return {
      output: runPackage(
        call,
        others.filter(({ text }) => text !== 'run'),
        true,
      ),
    };
  if (CREATES.test(spoken)) {
    reportPackage(call, named[0] ?? '');
    return { output: undefined };
  }
  if (spoken === 'bun exec') return { output: shell.read(named[0] ?? '') };
  if (spoken === 'npm explore') return { output: shell.run(words.slice(call.texts.indexOf('--') + 1), input) };
  if (spoken === 'yarn workspace') return { output: shell.run([plainWord('yarn'), ...words.slice(at + 2)], input) };
  if (name === 'corepack' && MANAGERS.test(command)) return { output: shell.run(words.slice(at), input) };
  if (!RUNS_PROGRAM.test(spoken)) return undefined;
  if (name === 'uv' && /^https?:/.test(named[0] ?? '')) shell.report('fetch-to-exec');
  if (name === 'uv' && valueOf({ words: others }, '--with')) shell.report('install');
  const [program] = operandsOf({ words: others }, RUNNER_VALUES);
  return { output: program && shell.run(others.slice(others.indexOf(program)), input) };
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
