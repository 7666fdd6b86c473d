import { namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';
import { writeTo } from '../commands/file-access.ts';
import { givenCode } from '../commands/given-code.ts';

const INSTALLS = /^(?:install|add|i|in|get|upgrade|require|global)$/;

/** Judges package managers. Packages that the project requires are its own choice; named ones come from outside. */
const packages: Program = (call) => {
  const { name, shell } = call;
  if (name === 'bun' && call.texts[0]?.startsWith('-') === true)
    for (const code of givenCode(call, 'bun')) readCode(code.text, shell);
  const operands = operandsOf(
    call,
    '-r -c --requirement --constraint --prefix -C --filter -w --workspace --registry --index-url -i -t --target -e --editable -g -m --manifest-path -p --project --python -n',
  );
  const [command = '', ...named] = operands.map(({ text }) => text);
  if (
    command === 'publish' ||
    command === 'unpublish' ||
    (command === 'upload' && name === 'twine') ||
    command === 'push'
  )
    return shell.report(command === 'unpublish' ? 'destroy-service' : 'publish') as undefined;
  if (
    command === 'exec' ||
    command === 'dlx' ||
    command === 'x' ||
    (command === 'run' && /^(?:uv|poetry|pipenv|hatch|pdm|rye|pixi|conda|mamba)$/.test(name)) ||
    (name === 'bundle' && command === 'exec')
  ) {
    const at = call.texts.indexOf(command);
    const rest = call.words.slice(at + 1).filter(({ text }) => text !== '--');
    if (command === 'dlx' || command === 'x' || (name === 'npm' && isFetched(rest[0]?.text)))
      shell.report('run-package');
    return shell.run(
      rest.filter(({ text }, index) => index > 0 || !text.startsWith('-')),
      call.input,
    );
  }
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

/** Tools that exist in every project that uses them; others are fetched when they are not there. */
const RUN_PACKAGE = /^(?:-y|--yes|-p|--package(?:=.*)?)$|^@?[\w./-]+@[\w.^~-]+$/;

/** Programs that projects have as packages. `npx` fetches any other from a registry, where everybody may publish it. */
const OF_PROJECTS = new Set(
  'tsc tsx ts-node vue-tsc tsup eslint prettier biome oxlint oxfmt stylelint vitest jest mocha ava tap c8 nyc playwright cypress wdio vite webpack rollup esbuild parcel turbo nx lerna next nuxt astro svelte-kit svelte-check ng expo remix gatsby storybook prisma drizzle-kit knex sequelize typeorm husky lint-staged commitlint changeset semantic-release release-it standard-version knip depcheck madge typedoc api-extractor rimraf shx concurrently npm-run-all run-s run-p nodemon pm2 serve http-server dotenv cross-env kill-port postcss tailwindcss sass babel swc graphql-codegen openapi-typescript size-limit markdownlint cspell pkg-pr-new tsd attw publint'.split(
    ' ',
  ),
);

/** True if a runner may fetch the program of this name. Paths are those of files that are there. */
function isFetched(target = ''): boolean {
  return target !== '' && !/^[./-]/.test(target) && !OF_PROJECTS.has(target.replace(/^@[\w.-]+\//, ''));
}

const runner: Program = (call) => {
  const { texts, words, shell } = call;
  const at = texts.findIndex((text) => !text.startsWith('-'));
  const target = texts[at] ?? '';
  if (/^(?:https?:|git\+|git:|github:)/.test(target) || texts.some((text) => /^(?:-p|--package)=?https?:/.test(text)))
    shell.report('fetch-to-exec');
  else if (
    texts.slice(0, at + 1).some((text) => RUN_PACKAGE.test(text)) ||
    /^(?:uvx|pipx|bunx|pnpx)$/.test(call.name) ||
    isFetched(target)
  )
    shell.report('run-package');
  const command = valueOf(call, '-c', '--call');
  if (command) shell.read(command.text);
  return at === -1 ? undefined : shell.run(words.slice(at), call.input);
};

const goTool: Program = ({ texts, shell }) => {
  if (/^(?:run|install)$/.test(texts[0] ?? '') && texts.some((text) => /^[\w./-]+@/.test(text)))
    shell.report('run-package');
  else if (texts[0] === 'get' && texts.length > 1) shell.report('install');
};

/** Programs that fetch packages, and run them. */
export const packagePrograms: Readonly<Record<string, Program>> = {
  ...namesOf(
    packages,
    'npm pnpm yarn bun pip pip3 pipx-install uv poetry pipenv pdm rye hatch pixi apt apt-get aptitude dnf yum apk pacman zypper snap brew port gem cargo choco winget conda mamba composer bundle twine flit cpan luarocks',
  ),
  ...namesOf(runner, 'npx bunx uvx pipx pnpx'),
  go: goTool,
};
