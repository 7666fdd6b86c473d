import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './command.ts';
import { type Report, runCheck } from './report.ts';

/** Hosts packages are fetched from; written so that this file does not name one itself. */
const hosts: readonly RegExp[] = [
  /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i,
  /\bnpmjs\.(?:com|org)\b/i,
  /\bnpm\.(?:pkg|jsr|taobao)\.[a-z]+/i,
  /\bnpmmirror\.[a-z]+/i,
  /\b(?:unpkg|jsdelivr|esm|jsr)\.(?:com|net|sh|io)\b/i,
  /\b(?:pypi|pythonhosted)\.org\b/i,
  /\b(?:artifactory|verdaccio|nexus)\.[a-z0-9.-]+/i,
  /\bregistry\s*[=:]\s*['"]?https?:/i,
];

/** Checks that no file of the project names a host of packages, and that lock files hold no address at all. */
export async function checkRegistryHosts(root: string): Promise<Report> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  const files = new Set(listed.stdout.split('\0').filter(Boolean));
  const problems: string[] = [];
  let read = 0;
  for (const file of files) {
    const text = readText(join(root, file));
    if (text === undefined) continue;
    read += 1;
    for (const [index, line] of text.split('\n').entries()) {
      const named = hosts.map((host) => host.exec(line)?.[0]).find((match) => match !== undefined);
      if (named !== undefined) problems.push(`${file}:${index + 1} names a package host: ${named.trim()}`);
      if (basename(file) === 'pnpm-lock.yaml' && /https?:/.test(line) && !/^\s+deprecated:/.test(line)) {
        problems.push(`${file}:${index + 1} holds an address: ${line.trim()}`);
      }
    }
  }
  return {
    saw: { files: read, 'lock files': [...files].filter((file) => basename(file) === 'pnpm-lock.yaml').length },
    problems,
  };
}

/** Returns the file as text; `undefined` if it is gone from the working tree or is no text. */
function readText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return undefined;
    throw error;
  }
}

if (import.meta.main) await runCheck('registry hosts', checkRegistryHosts);
