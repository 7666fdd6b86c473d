import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { publicPackages } from './packages.ts';
import { type Report, runCheck } from './report.ts';

/** Generates the API documentation into `docs/api`. Fails for an undocumented name or a broken link. */
export async function checkApiDocs(root: string): Promise<Report> {
  const packages = publicPackages(root);
  const { status, output } = await run('turbo', ['run', 'docs', '--output-logs=new-only'], root);
  const modules = join(root, 'docs/api/modules');
  const pages = existsSync(modules) ? readdirSync(modules).length : 0;
  return { saw: { packages: packages.length, pages }, problems: status === 0 ? [] : [output.trim()] };
}

if (import.meta.main) await runCheck('API documentation', checkApiDocs);
