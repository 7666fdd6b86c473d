import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileBlocks } from './docs/compile-blocks.ts';
import { codeBlocks } from './docs/markdown.ts';
import { runFirstBlocks } from './docs/first-blocks.ts';
import { missingPaths } from './docs/paths.ts';
import { missingScripts } from './docs/scripts.ts';
import { run } from './command.ts';
import { type Report, runCheck } from './report.ts';

/**
 * Checks that the documents tell the truth: every ```` ```ts ```` block compiles against the built packages, every
 * path and every npm script they name exists. The first block of each README runs on the oldest Node. `ts continues` joins a block to the one before it in the same file.
 */
export async function checkDocs(root: string, node?: string): Promise<Report> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], root);
  const files = [...new Set(listed.stdout.split('\0'))].filter((file) => file !== '' && !isWorkingNote(file));
  const documents = files.flatMap((file) => {
    const text = readIfThere(join(root, file));
    return text === undefined ? [] : [{ file, text }];
  });
  const blocks = documents.flatMap(({ file, text }) => codeBlocks(file, text));
  const paths = documents.map(({ file, text }) => missingPaths(root, file, text));
  const scripts = documents.map(({ file, text }) => missingScripts(root, file, text));
  const ran = await runFirstBlocks(root, blocks, node);
  return {
    saw: {
      documents: documents.length,
      'ts blocks': blocks.length,
      'first blocks that ran': ran.saw,
      paths: paths.reduce((total, { saw }) => total + saw, 0),
      scripts: scripts.reduce((total, { saw }) => total + saw, 0),
    },
    problems: [
      ...(await compileBlocks(root, blocks)),
      ...[ran, ...paths, ...scripts].flatMap(({ problems }) => problems),
    ],
  };
}

/** Change notes speak of what was true when they were written. */
function isWorkingNote(file: string): boolean {
  return file.startsWith('.changeset/') || file.endsWith('CHANGELOG.md');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

if (import.meta.main) await runCheck('documents', checkDocs);
