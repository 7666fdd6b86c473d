import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPackages, entriesOf, type Package, publicPackages } from './packages.ts';
import { adapterProblems, protocolAdapters } from './adapter-lines.ts';
import { exportedNames, nameProblems } from './exported-names.ts';
import { oldestNodeProblems } from './oldest-node.ts';
import { type Report, runCheck } from './report.ts';

/** The modules that may do something when they are imported. */
const EFFECTS = ['./dist/platform/needs-node.js', '*.css'];

/**
 * Checks that every public package has the same anatomy, that a test holds a snapshot of each of its entries, and that
 * no package with sources escapes the tasks that run per package. Tests poll with patience. No package exports more names than a reader can know,
 * and core and the adapters of protocols stay small. The compiler and pnpm refuse what the oldest Node cannot run.
 */
export function checkPackageShape(root: string): Report {
  const packages = publicPackages(root);
  const withSources = allPackages(root).filter(({ dir }) => existsSync(join(root, dir, 'src')));
  const entries = packages.flatMap(entriesOf);
  const problems = packages.flatMap((each) =>
    [
      ...manifestProblems(each),
      ...fileProblems(root, each),
      ...snapshotProblems(root, each),
      ...nameProblems(root, each),
      ...lengthProblems(root, each),
    ].map((problem) => `${each.dir}: ${problem}`),
  );
  problems.push(...withSources.flatMap(scriptProblems));
  problems.push(...withSources.flatMap((each) => pollProblems(root, each)));
  const adapters = protocolAdapters(root, packages);
  problems.push(...adapters.flatMap((each) => adapterProblems(root, each)), ...oldestNodeProblems(root));
  return {
    saw: {
      'public packages': packages.length,
      entries: entries.length,
      'exported names': packages.reduce((total, each) => total + exportedNames(root, each).size, 0),
      'packages with sources': withSources.length,
      'protocol adapters': adapters.length,
    },
    problems,
  };
}

/** The number of lines that core stays under: what a runtime alone needs belongs to the runtime. */
const LINES_OF_CORE = 10_000;

function lengthProblems(root: string, { dir, name }: Package): readonly string[] {
  if (name !== '@conv/core') return [];
  const files = globSync('src/**/*.ts', { cwd: join(root, dir) });
  const lines = files.reduce(
    (sum, file) => sum + readFileSync(join(root, dir, file), 'utf8').split('\n').length - 1,
    0,
  );
  if (lines < LINES_OF_CORE) return [];
  return [
    `its sources have ${lines} lines, expected fewer than ${LINES_OF_CORE}: move what one package needs to that package`,
  ];
}

/** The conditions of an entry; `browser` for an entry that another file replaces in browsers. */
const SHAPES: readonly string[] = ['types,default', 'types,browser,default'];

/** turbo silently skips a package without the script */
function scriptProblems({ dir, manifest }: Package): readonly string[] {
  const wanted = ['build', 'typecheck', 'test', ...(manifest.private === true ? [] : ['check:package'])];
  return wanted
    .filter((name) => manifest.scripts?.[name] === undefined)
    .map((name) => `${dir}: it has no script ${name}`);
}

/** A poll of vitest waits for a second, unless its configuration says otherwise, and a busy machine needs more. */
function pollProblems(root: string, { dir }: Package): readonly string[] {
  const tests = globSync('test/**/*.{ts,tsx}', { cwd: join(root, dir) });
  const polls = tests.some((file) => /expect\s*\.poll\(/.test(readFileSync(join(root, dir, file), 'utf8')));
  const file = join(root, dir, 'vitest.config.ts');
  const isPatient = existsSync(file) && readFileSync(file, 'utf8').includes('poll: { timeout: 100_000 }');
  if (!polls || isPatient) return [];
  return [`${dir}: its tests poll: expected expect: { poll: { timeout: 100_000 } } in vitest.config.ts, found none`];
}

function manifestProblems({ name, manifest }: Package): readonly string[] {
  const entries = entriesOf({ dir: '', name, manifest });
  const rules: readonly (readonly [boolean, string])[] = [
    [name.startsWith('@conv/'), 'its name is not in the @conv scope'],
    [manifest.license === 'MIT', 'license is not MIT'],
    [manifest.type === 'module', 'type is not module'],
    // only the check of the Node version and styles have an effect when they are imported
    [
      manifest.sideEffects === false || EFFECTS.includes(String(manifest.sideEffects)),
      'sideEffects is neither false nor the check of the Node version, nor styles',
    ],
    [(manifest.description ?? '').length > 0, 'it has no description'],
    [manifest.engines?.['node'] === '>=22.19', 'engines.node is not >=22.19'],
    [manifest.publishConfig?.['access'] === 'public', 'publishConfig.access is not public'],
    [String(manifest.files) === 'dist,src,README.md,CHANGELOG.md', 'files is not dist, src, README.md, CHANGELOG.md'],
    [manifest.exports?.['./package.json'] === './package.json', 'exports leaves out ./package.json'],
    [entries.length > 0, 'exports has no entry'],
    [entries.every(({ specifier }) => !specifier.includes('*')), 'exports has a wildcard'],
  ];
  const typesLast = Object.entries(manifest.exports ?? {})
    .filter(([, target]) => typeof target === 'object' && !SHAPES.includes(Object.keys(target).join()))
    .map(
      ([subpath]) => `exports of ${subpath} are not { types, default } or { types, browser, default } in this order`,
    );
  return [...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])), ...typesLast];
}

function fileProblems(root: string, each: Package): readonly string[] {
  const sources = entriesOf(each).map(({ source }) => source);
  const wanted = ['README.md', 'typedoc.json', 'tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts', ...sources];
  const missing = wanted.filter((file) => !existsSync(join(root, each.dir, file)));
  const documented = existsSync(join(root, each.dir, 'typedoc.json'))
    ? readFileSync(join(root, each.dir, 'typedoc.json'), 'utf8')
    : '';
  return [
    ...missing.map((file) => `${file} is missing`),
    ...sources
      .filter((source) => !documented.includes(`"${source}"`))
      .map((source) => `typedoc.json leaves out ${source}`),
  ];
}

/** A new public name must show up as a diff in review: tests named exports.test.ts compare what each entry exports. */
function snapshotProblems(root: string, each: Package): readonly string[] {
  const files = globSync('test/**/exports.test.ts', { cwd: join(root, each.dir) });
  if (files.length === 0) return ['test/exports.test.ts is missing'];
  const texts = files.map((file) => readFileSync(join(root, each.dir, file), 'utf8'));
  const unseen = entriesOf(each).filter(
    ({ specifier, source }) => !texts.some((text) => text.includes(`'${specifier}'`) || text.includes(`/${source}'`)),
  );
  const idle = files.filter((_file, index) => !/Snapshot\(|toEqual\(|toStrictEqual\(/.test(texts[index] ?? ''));
  return [
    ...unseen.map(({ specifier }) => `no exports.test.ts imports ${specifier}`),
    ...idle.map((file) => `${file} compares nothing`),
  ];
}

if (import.meta.main) await runCheck('package shape', checkPackageShape);
