import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alone } from './lock.mjs';
import { npmExec } from './node.mjs';
import { announce, BootstrapError, root, runQuietly } from './process.mjs';
import { workspacePackages } from './workspace.mjs';

/** Inside node_modules, so that it goes when the tree it speaks of goes. */
const stamp = join(root, 'node_modules/.conv-bootstrap/install');

/**
 * Installs what the lock file says, unless it is installed already.
 * @param {NodeJS.ProcessEnv} environment
 */
export async function ensureInstalled(environment) {
  if (!isInstalled(installKey())) await alone(() => install(environment));
}

/**
 * Installs, unless another command has done it in the meantime.
 * @param {NodeJS.ProcessEnv} environment
 */
async function install(environment) {
  const wanted = installKey();
  if (isInstalled(wanted)) return;
  const version = pnpmVersion();
  announce(`installing dependencies with pnpm ${version}`);
  const args = ['install', '--frozen-lockfile', '--config.confirmModulesPurge=false'];
  await runQuietly('pnpm install', pnpmCommand(version, args), environment);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/**
 * @param {string} version
 * @param {readonly string[]} args
 * @returns {[string, ...string[]]}
 */
function pnpmCommand(version, args) {
  const installed = join(root, 'node_modules/pnpm/package.json');
  const own = existsSync(installed) && JSON.parse(readFileSync(installed, 'utf8')).version === version;
  if (own && process.platform !== 'win32') return [join(root, 'node_modules/.bin/pnpm'), ...args];
  return npmExec(`pnpm@${version}`, ['pnpm', ...args]);
}

function pnpmVersion() {
  const { packageManager = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = /^pnpm@([^+]+)/.exec(packageManager)?.[1];
  if (version === undefined) throw new BootstrapError(`package.json: packageManager is no pnpm: '${packageManager}'`);
  return version;
}

function installKey() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  const manifests = workspacePackages().map(({ dir }) => `${dir}/package.json`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', '.npmrc', ...manifests]) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** @param {string} wanted */
function isInstalled(wanted) {
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) return false;
  return workspacePackages().every(
    ({ dir, manifest }) =>
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length === 0 ||
      existsSync(join(root, dir, 'node_modules')),
  );
}
