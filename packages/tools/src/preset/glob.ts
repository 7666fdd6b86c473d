import { isAbsolute, join } from 'node:path';

import { text } from '@conv/core/tool';
import { z } from 'zod';

import { Refusal } from '../file-editor/refusal.ts';
import { foundText, newestOf } from './found-files.ts';
import { globPattern } from './glob-pattern.ts';
import type { Preset } from './preset-tool.ts';
import { type FoundFile, walk } from './walk.ts';
import { refusedPattern, refusedFolder } from './search-refusals.ts';

const input = z.object({
  pattern: z.string().describe('The pattern of names, such as `**/*.js` or `src/**/*.{ts,tsx}`.'),
  path: z.string().nullish().describe('The folder to search. Default: the working folder.'),
});

/** Finds files by name. */
export const globPreset: Preset<typeof input> = {
  name: 'glob',
  kind: 'Glob',
  description:
    'Finds files by name. A pattern without `**` is looked for in each folder below. Hidden files are found if the pattern names their dot. The answer has the last changed files first, at most 100.',
  input,
  readOnly: true,
  file: () => undefined,
  execute: (given, workplace, context) => {
    const wanted = given.pattern.replace(/^(?:\.\/)+/, '');
    const { folder = '.', pattern } = given.path ? { folder: given.path, pattern: wanted } : split(wanted);
    return workplace.answer(
      folder,
      context,
      async (path) => {
        if (pattern === '') throw new Refusal(`Invalid pattern: expected a pattern of files, found '${given.pattern}'`);
        const isWanted = matcherOf(pattern);
        const found: FoundFile[] = [];
        const steps = walk(workplace, path, {
          withHidden: pattern.split('/').some((name) => name.startsWith('.')),
          signal: context.signal,
        });
        const isWhole = await refusedFolder(path, async () => {
          for (;;) {
            const step = await steps.next();
            if (step.done) return step.value.isWhole;
            if (isWanted(step.value.relative)) found.push(step.value);
          }
        });
        const newest = newestOf(found);
        const what = `matching pattern '${given.pattern}'`;
        return {
          content: text(foundText(newest, { what, folder: path, isWhole })),
          fields: {
            files: newest.paths,
            pattern: given.pattern,
            search_path: path,
            truncated: newest.truncated || !isWhole,
          },
        };
      },
      {
        fields: (path) => ({ files: [], pattern: given.pattern, search_path: path, truncated: false }),
        said: (message) => message,
      },
    );
  },
};

function matcherOf(pattern: string): (path: string) => boolean {
  // as ripgrep does, a pattern is looked for in each folder below
  const whole = pattern.includes('**') ? pattern : `**/${pattern}`;
  return refusedPattern(whole, globPattern);
}

/** Splits an absolute pattern into the folder before its first wildcard, and the rest. */
function split(pattern: string): { readonly folder?: string; readonly pattern: string } {
  if (pattern === '') return { pattern: '**/*' };
  if (!isAbsolute(pattern)) return { pattern };
  const names = pattern.split('/');
  const first = names.findIndex((name) => /[*?[{]/.test(name));
  // without a wildcard the last name is that of the file
  const at = first < 0 ? names.length - 1 : first;
  return { folder: join('/', ...names.slice(0, at)), pattern: names.slice(at).join('/') };
}
