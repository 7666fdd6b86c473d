import { existsSync, globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Bundles the package in the current folder: each entry point one ES module, and beside them the parts that several entry points
 * share or that are loaded on demand. A class is in one of these files, so that it is the same class whatever it was imported from.
 * Dependencies stay imports. The compiler has written the declarations before. A package with files `x.browser.ts` has a second build
 * in `dist/browser`, in which each of them takes the place of `x.ts`.
 */
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** The build results that others name: entry points, programs, and modules that a consumer's bundler must keep. */
const named = [
  ...Object.values(manifest.exports).map((target) => target.default ?? ''),
  ...Object.values(manifest.bin ?? {}),
  ...(manifest.sideEffects || []),
].filter((path) => path.startsWith('./dist/'));

// threads are started with the URL of a file
const workers = globSync('src/**/*worker.ts');
const sources = [...new Set([...named.map(toSource), ...workers])];

const twins = globSync('src/**/*.browser.ts');
const output = [
  ...(await build('dist', { platform: 'node' })),
  ...(twins.length > 0 ? await build('dist/browser', { platform: 'browser', plugins: [useTwins()] }) : []),
];

const written = new Set(output.map(({ file }) => file));
for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  const stale = /\.js(?:\.map)?$/.test(file) ? !written.has(file) : hasLostItsSource(file);
  if (stale) rmSync(join('dist', file));
}

const renamed = output.flatMap(({ part }) =>
  part.type === 'chunk' ? [...part.code.matchAll(/^(?:var|const|let|class) (\w+\$\d+) ?(?:= class|extends|\{)/gm)] : [],
);
if (renamed.length > 0)
  throw new Error(
    `${manifest.name}: expected one class of each name, found two of ${renamed.map(([, name]) => name).join(', ')}: errors and logs would show the changed name; rename one`,
  );

/**
 * True for a module that is installed with the package: Node's own, a dependency, or a file of the package's `imports`. Helpers of the bundler are not: they go into the bundle.
 * @param {string} id
 */
function isInstalled(id) {
  const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/');
  return /^(?:node:|#)/.test(id) || name in { ...manifest.dependencies, ...manifest.peerDependencies };
}

/**
 * True for a declaration, or its source map, whose source has moved or gone: the compiler adds files and removes none.
 * @param {string} file path below `dist`
 */
function hasLostItsSource(file) {
  const [declaration] = /^.*(?=\.d\.ts(?:\.map)?$)/.exec(file) ?? [];
  return declaration !== undefined && globSync(join('src', `${declaration}.{ts,tsx}`)).length === 0;
}

/** @param {string} path */
function toSource(path) {
  const source = path.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
  return existsSync(source) ? source : `${source}x`;
}

/**
 * Builds the package into a folder. Resolves with its parts and their paths below `dist`.
 * @param {string} dir
 * @param {Pick<import('rolldown').InputOptions, 'platform' | 'plugins'>} options
 */
async function build(dir, options) {
  const bundle = await rolldown({
    input: Object.fromEntries(sources.map((path) => [relative('src', path).replace(/\.ts$/, ''), path])),
    external: isInstalled,
    tsconfig: 'tsconfig.build.json',
    transform: { target: 'es2024' },
    // the sources are the package: what a module does when it is loaded is meant
    treeshake: { moduleSideEffects: true },
    onLog(level, log) {
      if (level === 'warn') throw new Error(`${manifest.name}: ${log.message}`);
    },
    ...options,
  });
  const { output: parts } = await bundle.write({
    dir,
    format: 'esm',
    // modules beside src/index.ts find their workers from where they stand: every part lies beside dist/index.js
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name].js',
    // declarations and sources hold the doc comments; in the code they would be parsed at each start
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  return parts.map((part) => ({ part, file: relative('dist', join(dir, part.fileName)) }));
}

/**
 * Puts files for browsers in the place of their twins.
 * @returns {import('rolldown').Plugin}
 */
function useTwins() {
  const replaced = new Map(twins.map((path) => [resolve(path.replace('.browser.ts', '.ts')), resolve(path)]));
  return {
    name: 'twins',
    resolveId: (id, importer) =>
      importer && id.startsWith('.') ? replaced.get(resolve(dirname(importer), id)) : undefined,
  };
}
