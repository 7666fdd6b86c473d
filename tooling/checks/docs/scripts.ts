import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPackages, type Manifest } from '../packages.ts';
import type { Named } from './paths.ts';

/** Checks that every `npm run x`, `npm test`, `npm start` and `pnpm --filter p x` a document names is a script. */
export function missingScripts(root: string, file: string, text: string): Named {
  const packages = allPackages(root);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const own = packages.find(({ dir }) => file.startsWith(`${dir}/`));
  const available = new Set([...scriptsOf(manifest), ...(own ? scriptsOf(own.manifest) : [])]);
  const problems: string[] = [];
  let saw = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const at = `${file}:${index + 1}`;
    for (const [, named] of line.matchAll(/\bnpm (?:run (?:-s |--silent )?([\w:-]+)|(?:test|start)\b)/g)) {
      saw += 1;
      if (named !== undefined && !available.has(named))
        problems.push(`${at} names the script ${named}, which is not there`);
    }
    for (const [, name = '', script = ''] of line.matchAll(/\bpnpm --filter[ =](@conv\/[\w-]+) (?:run )?([\w:-]+)/g)) {
      saw += 1;
      const target = packages.find((each) => each.name === name);
      if (target === undefined) problems.push(`${at} names the package ${name}, which is not there`);
      else if (!hasCommand(target.manifest, script))
        problems.push(`${at} names the script ${script} of ${name}, which is not there`);
    }
  }
  return { saw, problems };
}

function scriptsOf(manifest: Manifest): readonly string[] {
  return Object.keys(manifest.scripts ?? {});
}

/** `exec`, `add` and the like are pnpm's own. */
function hasCommand(manifest: Manifest, script: string): boolean {
  return ['exec', 'add', 'remove', 'install', 'pack'].includes(script) || scriptsOf(manifest).includes(script);
}
