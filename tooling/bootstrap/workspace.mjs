import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './process.mjs';

/**
 * @typedef {object} WorkspacePackage
 * @property {string} dir relative to the root
 * @property {string} name
 * @property {import('../checks/packages.ts').Manifest} manifest
 */

/**
 * Every package of the workspace, as `pnpm-workspace.yaml` lists them.
 * @param {string} [at]
 * @returns {WorkspacePackage[]}
 */
export function workspacePackages(at = root) {
  return packageDirs(at).map((dir) => {
    const manifest = JSON.parse(readFileSync(join(at, dir, 'package.json'), 'utf8'));
    return { dir, name: manifest.name, manifest };
  });
}

/**
 * The named package and the workspace packages it needs, directly or not.
 * @param {string} name
 * @returns {WorkspacePackage[]}
 */
export function withDependencies(name) {
  const packages = new Map(workspacePackages().map((each) => [each.name, each]));
  const needed = new Set([name]);
  for (const each of needed) {
    const manifest = packages.get(each)?.manifest;
    for (const dependency of Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })) {
      if (packages.has(dependency)) needed.add(dependency);
    }
  }
  return [...packages.values()].filter((each) => needed.has(each.name));
}

/** @param {string} at */
function packageDirs(at) {
  const text = readFileSync(join(at, 'pnpm-workspace.yaml'), 'utf8');
  const section = /^packages:\n((?: +- .*\n)+)/m.exec(text)?.[1] ?? '';
  const patterns = [...section.matchAll(/^ +- ['"]?([^'"\n]+?)['"]?$/gm)].map((match) => match[1] ?? '');
  return patterns
    .flatMap((pattern) => (pattern.endsWith('/*') ? childrenOf(at, pattern.slice(0, -2)) : [pattern]))
    .filter((dir) => existsSync(join(at, dir, 'package.json')))
    .sort();
}

/**
 * @param {string} at
 * @param {string} parent
 */
function childrenOf(at, parent) {
  if (!existsSync(join(at, parent))) return [];
  return readdirSync(join(at, parent)).map((child) => `${parent}/${child}`);
}
