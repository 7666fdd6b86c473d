import { type Call, namesOf, operandsOf, type Program } from '../commands/call.ts';
import type { Output, ShellWord } from '../shell/word.ts';

/** Options of runners whose values are no programs. */
export const RUNNER_VALUES =
  '-p --package --from --spec --with --with-requirements --with-editable -w --workspace -c --call --registry --prefix -C --cwd --dir --filter -n --name --python --project --index-url --extra-index-url --index --default-index --pip-args --cache --env-file --directory';

/** Options that name a package, with or without their value. */
const NAMES_PACKAGE = /^(?:-p|--(?:package|from|spec|with))(?:=(.*))?$/;

/** Packages of no registry: the owner of the address decides what runs. `owner/name` is a repository of GitHub. */
const ADDRESS = /^(?:https?|git|ssh|github|gitlab|bitbucket|gist)[:+]|^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/;

/** Asks for no confirmation, or for a version that the project may not have. */
const FETCHED = /^(?:-y|--yes)$|^@?[\w./-]+@[\w.^~-]+$/;

/** Programs that projects have as packages. A runner fetches any other from a registry, where everybody may publish it. */
const OF_PROJECTS = new Set(
  'tsc tsx ts-node vue-tsc tsup eslint prettier biome oxlint oxfmt stylelint vitest jest mocha ava tap c8 nyc playwright cypress wdio vite webpack rollup esbuild parcel turbo nx lerna next nuxt astro svelte-kit svelte-check ng expo remix gatsby storybook prisma drizzle-kit knex sequelize typeorm husky lint-staged commitlint changeset semantic-release release-it standard-version knip depcheck madge typedoc api-extractor rimraf shx concurrently npm-run-all run-s run-p nodemon pm2 serve http-server dotenv cross-env kill-port postcss tailwindcss sass babel swc graphql-codegen openapi-typescript size-limit markdownlint cspell pkg-pr-new tsd attw publint @biomejs/biome @changesets/cli @playwright/test @angular/cli @nestjs/cli @tailwindcss/cli @graphql-codegen/cli @redocly/cli @microsoft/api-extractor'.split(
    ' ',
  ),
);

/** Judges the arguments of a package runner, and its program. `isFetching`: the runner fetches every program, also programs of projects. */
export function runPackage(call: Call, words: readonly ShellWord[], isFetching: boolean): Output | undefined {
  const { shell, input } = call;
  const [program] = operandsOf({ words }, RUNNER_VALUES);
  const at = program === undefined ? words.length : words.indexOf(program);
  const options = words.slice(0, at).map(({ text }) => text);
  const named = options.flatMap((text, index) => {
    const match = NAMES_PACKAGE.exec(text);
    return match === null ? [] : [match[1] ?? words[index + 1]?.text ?? ''];
  });
  const target = program?.text ?? '';
  if ([...named, target].some(isAddress)) shell.report('fetch-to-exec');
  else if (
    named.length > 0 ||
    [...options, target].some((text) => FETCHED.test(text)) ||
    (isFetching ? target !== '' : isForeign(target))
  )
    shell.report('run-package');
  const line = options.findIndex((text) => /^(?:-c|--call)(?:=|$)/.test(text));
  if (line !== -1) shell.read(options[line]?.split('=').slice(1).join('=') || (words[line + 1]?.text ?? ''));
  return program === undefined ? undefined : shell.run(words.slice(at), input);
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
  const [command = ''] = call.texts;
  if (command === 'run') return runPackage(call, call.words.slice(1), true);
  if (/^(?:install|install-all|inject|upgrade)$/.test(command)) reportInstall(call, call.texts.slice(1));
  return undefined;
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
