import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alone } from './lock.mjs';
import { announce, BootstrapError, root, runQuietly } from './process.mjs';
import { withDependencies, workspacePackages } from './workspace.mjs';

/**
 * Builds a package with all it needs, or everything (`'*'`), unless sources and results are as the last build left them.
 * @param {string} target
 * @param {NodeJS.ProcessEnv} environment
 */
export async function ensureBuilt(target, environment) {
  // writes nothing then, so that several programs may check at once
  if (target !== '*' && isBuilt('*', workspacePackages())) return;
  const all = target === '*' ? workspacePackages() : withDependencies(target);
  if (all.length === 0) throw new BootstrapError(`there is no package ${target} in this workspace`);
  if (!isBuilt(target, all)) await alone(() => build(target, all, environment));
}

/**
 * Builds, unless another command has done it in the meantime.
 * @param {string} target
 * @param {ReturnType<typeof workspacePackages>} all
 * @param {NodeJS.ProcessEnv} environment
 */
async function build(target, all, environment) {
  if (isBuilt(target, all)) return;
  const dirs = builtIn(all);
  announce(`building ${dirs.length} packages`);
  const filter = target === '*' ? [] : [`--filter=${target}...`];
  const turbo = join(root, 'node_modules/.bin/turbo');
  await runQuietly('the build', [turbo, 'run', 'build', ...filter, '--output-logs=errors-only'], environment);
  const stamp = stampOf(target);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, buildKey(dirs));
}

/**
 * @param {string} target
 * @param {ReturnType<typeof workspacePackages>} packages
 */
function isBuilt(target, packages) {
  const stamp = stampOf(target);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === buildKey(builtIn(packages));
}

/** @param {ReturnType<typeof workspacePackages>} packages */
function builtIn(packages) {
  return packages.filter(({ manifest }) => manifest.scripts?.['build'] !== undefined).map(({ dir }) => dir);
}

/** @param {string} target */
function stampOf(target) {
  return join(root, 'node_modules/.conv-bootstrap', `build-${target.replace(/\W+/g, '-')}`);
}

/** @param {readonly string[]} dirs */
function buildKey(dirs) {
  const hash = createHash('sha256');
  const shared = ['tooling/build', 'tsconfig.base.json', 'pnpm-lock.yaml', 'turbo.json'];
  const perPackage = ['package.json', 'turbo.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'dist'];
  for (const path of [...shared, ...dirs.flatMap((dir) => perPackage.map((name) => `${dir}/${name}`))]) {
    addToHash(hash, path);
  }
  return hash.digest('hex');
}

/**
 * Times and sizes stand for contents: reading everything would cost more than asking turbo.
 * @param {import('node:crypto').Hash} hash
 * @param {string} path relative to the root
 */
function addToHash(hash, path) {
  const at = statSync(join(root, path), { throwIfNoEntry: false });
  if (at?.isDirectory() === true) {
    for (const child of readdirSync(join(root, path)).sort()) addToHash(hash, `${path}/${child}`);
  } else {
    hash.update(`${path} ${at?.size} ${at?.mtimeMs}\n`);
  }
}
