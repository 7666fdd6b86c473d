import { type Call, namesOf, operandsOf, type Program, wordSet } from '../commands/call.ts';
import { verbsOf } from '../commands/verbs.ts';
import type { Output, ShellWord } from '../shell/word.ts';

/** Options of runners whose values are no programs. */
const RUNNER_VALUES =
  '-p --package --from --spec --with --with-requirements --with-editable -w --workspace -c --call --registry --prefix -C --cwd --dir --filter -n --name --python --project --index-url --extra-index-url --index --default-index --pip-args --cache --env-file --directory';
const RUNNER_VALUE_SET = wordSet(RUNNER_VALUES);

/** Options that name a package, with or without their value. */
const NAMES_PACKAGE = /^(?:-p|--(?:package|from|spec|with))(?:=(.*))?$/;

/** Packages of no registry: the owner of the address decides what runs. `owner/name` is a repository of GitHub. */
const ADDRESS = /^(?:https?|git|ssh|github|gitlab|bitbucket|gist)[:+]|^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/;

/** Asks for no confirmation, or for a version that the project may not have. */
const FETCHED = /^(?:-y|--yes)$|^@?[\w./-]+@[\w.^~-]+$/;

/** Programs that projects have as packages. A runner fetches any other from a registry, where any person may publish it. */
const OF_PROJECTS = new Set(
  'tsc tsx ts-node vue-tsc tsup eslint prettier biome oxlint oxfmt stylelint vitest jest mocha ava tap c8 nyc playwright cypress wdio vite webpack rollup esbuild parcel turbo nx lerna next nuxt astro svelte-kit svelte-check ng expo remix gatsby storybook prisma drizzle-kit knex sequelize typeorm husky lint-staged commitlint changeset semantic-release release-it standard-version knip depcheck madge typedoc api-extractor rimraf shx concurrently npm-run-all run-s run-p nodemon pm2 serve http-server dotenv cross-env kill-port postcss tailwindcss sass babel swc graphql-codegen openapi-typescript size-limit markdownlint cspell pkg-pr-new tsd attw publint @biomejs/biome @changesets/cli @playwright/test @angular/cli @nestjs/cli @tailwindcss/cli @graphql-codegen/cli @redocly/cli @microsoft/api-extractor'.split(
    ' ',
  ),
);

/** Another registry than the usual one, whose owner decides what runs. */
const REGISTRY = /^--(?:registry|index-url|extra-index-url|index|default-index)(?:=|$)/;
const REGISTRIES = ['NPM_CONFIG_REGISTRY', 'npm_config_registry', 'YARN_NPM_REGISTRY_SERVER', 'BUN_CONFIG_REGISTRY'];

/**
 * Judges the arguments of a package runner, and its program. `isFetching`: the runner fetches every program, also
 * programs of projects. `before`: options in front of the verb, which may name packages, too.
 */
export function runPackage(
  call: Call,
  words: readonly ShellWord[],
  isFetching: boolean,
  before: readonly ShellWord[] = [],
): Output | undefined {
  const { shell } = call;
  const [program] = operandsOf({ words }, RUNNER_VALUES);
  const at = program === undefined ? words.length : words.indexOf(program);
  const options = words.slice(0, at).map(({ text }) => text);
  const named = [...packagesIn(before, before.length), ...packagesIn(words, at)];
  const target = program?.text ?? '';
  const isElsewhere =
    [...before.map(({ text }) => text), ...options].some((text) => REGISTRY.test(text)) ||
    REGISTRIES.some((name) => shell.variables.has(name));
  if ([...named, target].some(isAddress)) shell.report('fetch-to-exec');
  else if (
    isElsewhere ||
    named.length > 0 ||
    [...options, target].some((text) => FETCHED.test(text)) ||
    (isFetching ? target !== '' : isForeign(target))
  )
    shell.report('run-package');
  const line = options.findIndex((text) => /^(?:-c|--call)(?:=|$)/.test(text));
  if (line !== -1) shell.read(options[line]?.split('=').slice(1).join('=') || (words[line + 1]?.text ?? ''));
  return runPrograms(call, words);
}

/** Packages that the options among the first `end` words name. */
function packagesIn(words: readonly ShellWord[], end: number): readonly string[] {
  return words.slice(0, end).flatMap(({ text }, index) => {
    const match = NAMES_PACKAGE.exec(text);
    return match === null ? [] : [match[1] ?? words[index + 1]?.text ?? ''];
  });
}

/** Judges each word that may be the program which a runner starts. */
export function runPrograms({ name, shell, input }: Call, words: readonly ShellWord[]): Output | undefined {
  // what is known to be no program is left out; `-n` names an environment to conda alone
  const rest: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as ShellWord;
    const isValued = RUNNER_VALUE_SET.has(word.text) && (word.text !== '-n' || name === 'conda' || name === 'mamba');
    if (!word.text.startsWith('-') || word.text === '--') {
      rest.push(...words.slice(at));
      break;
    }
    if (isValued) at += 1;
    else rest.push(word);
  }
  let output: Output | undefined;
  for (const verb of verbsOf(rest.map(({ text }) => text))) output = shell.run(rest.slice(verb), input);
  return output;
}

/** Reports a package that is run by its name alone: of `npm create` and `deno run npm:…`. */
export function reportPackage({ shell }: Pick<Call, 'shell'>, name: string): void {
  if (isAddress(name)) shell.report('fetch-to-exec');
  else if (FETCHED.test(name) || isForeign(name)) shell.report('run-package');
}

function isAddress(name: string): boolean {
  return ADDRESS.test(name);
}

/** True if a runner may fetch the program of this name. Paths are those of files that are there. */
function isForeign(name: string): boolean {
  return name !== '' && !/^[./-]/.test(name) && !OF_PROJECTS.has(name.replace(/^(?:npm|jsr):/, ''));
}

/** `npx` runs programs of the project; the other runners fetch their programs. */
const runner: Program = (call) => runPackage(call, call.words, call.name !== 'npx');

const pipx: Program = (call) => {
  let output: Output | undefined;
  for (const at of verbsOf(call.texts)) {
    const command = call.texts[at] ?? '';
    if (command === 'run') output = runPackage(call, call.words.slice(at + 1), true, call.words.slice(0, at));
    if (/^(?:install|install-all|inject|upgrade)$/.test(command)) reportInstall(call, call.texts.slice(at + 1));
  }
  return output;
};

function reportInstall({ shell }: Call, names: readonly string[]): void {
  shell.report(names.some((name) => /^(?:https?|git|ssh)[:+]/.test(name)) ? 'fetch-to-exec' : 'install');
}

const goTool: Program = (call) => {
  const { texts, shell } = call;
  const [command = ''] = operandsOf(call, '-C').map(({ text }) => text);
  if (/^(?:run|install)$/.test(command) && texts.some((text) => /^[\w./-]+@/.test(text))) shell.report('run-package');
  else if (command === 'get' && texts.length > 1) shell.report('install');
};

/** Commands of other managers that fetch what they run, and commands that install it. */
const RUNS =
  /^(?:gem exec|dotnet tool exec|pixi exec|dart pub global run|(?:cs|coursier) launch|jbang(?= .*[@:])|pkgx)(?: -\S+)* [^-]/;
const INSTALLS =
  /^(?:dotnet (?:tool (?:install|update)|new install|add (?:\S+ )?package)|rye (?:tools )?install|(?:dart|flutter) pub global activate|(?:cs|coursier) install|mix (?:archive|escript)\.install|cpanm?|opam install|cabal install|nimble install|volta install)(?: -\S+)* [^-]/;

/** Judges managers by the texts of their commands alone. */
const manager: Program = (call) => {
  const line = [call.name, ...call.texts].join(' ');
  if (INSTALLS.test(line)) reportInstall(call, call.texts);
  else if (RUNS.test(line)) call.shell.report(/ https?:/.test(line) ? 'fetch-to-exec' : 'run-package');
};

/** Programs that fetch a package and run it. */
export const packageRunnerPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(runner, 'npx bunx uvx pnpx pnx dnx'),
  ...namesOf(manager, 'dotnet rye dart flutter cs coursier jbang pkgx mix cpan cpanm opam cabal nimble'),
  pipx,
  go: goTool,
};
