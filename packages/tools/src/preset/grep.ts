import { basename } from 'node:path';

import { text } from '@conv/core/tool';
import { RE2JS } from 're2js';
import { z } from 'zod';

import { withLineFeeds } from '../file-editor/line-endings.ts';
import { decodeText } from '../file-editor/text-file.ts';
import { foundText, newestOf } from './found-files.ts';
import { globPattern } from './glob-pattern.ts';
import { fieldsOf, type Preset } from './preset-tool.ts';
import { refusedFolder, refusedPattern } from './search-refusals.ts';
import { type FoundFile, walk } from './walk.ts';
import type { Workplace } from './workplace.ts';

const input = z.object({
  pattern: z.string().describe('The regular expression to look for, in the syntax of RE2; case does not matter.'),
  path: z.string().nullish().describe('The folder to search. Default: the working folder.'),
  include: z.string().nullish().describe('A pattern of names of files to search, such as `*.{ts,tsx}`.'),
});

/** Finds files by their text. */
export const grepPreset: Preset<typeof input> = {
  name: 'grep',
  kind: 'Grep',
  description:
    'Finds the text files in which a line matches a regular expression. Hidden folders, binary files and huge ones are passed over. The answer has the names of the last changed files first, at most 100.',
  input,
  readOnly: true,
  file: () => undefined,
  execute: (given, workplace, context) => {
    const { pattern, include } = given;
    return workplace.answer(
      given.path || '.',
      context,
      async (path) => {
        // linear in the length of the text: a model can write an expression that takes a backtracking engine forever
        const expression = refusedPattern(pattern, compile);
        const isNamed = include ? refusedPattern(include, globPattern) : (name: string) => !name.startsWith('.');
        const found: FoundFile[] = [];
        const steps = walk(workplace, path, { withHidden: true, signal: context.signal });
        const isWhole = await refusedFolder(path, async () => {
          for (;;) {
            const step = await steps.next();
            if (step.done) return step.value.isWhole;
            const { relative, path: file } = step.value;
            if (/(?:^|\/)\.[^/]*\//.test(relative) || !isNamed(basename(relative))) continue;
            if (await isMatched(workplace, file, expression, context.signal)) found.push(step.value);
          }
        });
        const newest = newestOf(found);
        const filter = include ? ` (filtered by '${include}')` : '';
        const what = `containing pattern '${pattern}'`;
        return {
          content: text(
            foundText(newest, { what, folder: path, isWhole }).replace(`'${path}'`, (name) => name + filter),
          ),
          fields: fieldsOf({
            matches: newest.paths,
            pattern,
            search_path: path,
            include_pattern: include ?? undefined,
            truncated: newest.truncated || !isWhole,
          }),
        };
      },
      {
        fields: (path) =>
          fieldsOf({
            matches: [],
            pattern,
            search_path: path,
            include_pattern: include ?? undefined,
            truncated: false,
          }),
        said: (message) => message,
      },
    );
  },
};

/** Steps of an expression: the time for a character grows with them, and a few characters can repeat very many. */
const MOST_STEPS = 2500;

/** Compiles an expression. Throws an error that says why it cannot be used. */
function compile(pattern: string): RE2JS {
  const expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  const steps = expression.programSize();
  if (steps > MOST_STEPS)
    throw new RangeError(`expected at most ${MOST_STEPS} steps, found ${steps}; repeat less, as in x{1,100}`);
  return expression;
}

/** Resolves with true if a line of a file matches, as the model would be shown it. Lines of files that cannot be read do not. */
async function isMatched(workplace: Workplace, path: string, expression: RE2JS, signal: AbortSignal): Promise<boolean> {
  try {
    await using file = await workplace.files.open(path, { access: 'read', maxSize: workplace.maxFileSize, signal });
    const decoded = file && decodeText(file.bytes);
    if (!decoded) return false;
    return await hasLine(withLineFeeds(workplace.shown(decoded.text)), expression, { workplace, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!workplace.isPassedOver(error)) throw error;
    return false;
  }
}

/** Characters that are matched before other work of the process has its turn. A longer line is matched in parts. */
const MOST_AT_ONCE = 1 << 16;

async function hasLine(
  content: string,
  expression: RE2JS,
  { workplace, signal }: { readonly workplace: Workplace; readonly signal: AbortSignal },
): Promise<boolean> {
  let matched = 0;
  for (let start = 0; start < content.length;) {
    const feed = content.indexOf('\n', start);
    const lineEnd = feed < 0 ? content.length : feed;
    const end = Math.min(lineEnd, start + MOST_AT_ONCE);
    if (expression.matcher(content.slice(start, end)).find()) return true;
    matched += end - start + 1;
    start = end === lineEnd ? end + 1 : end;
    if (matched < MOST_AT_ONCE) continue;
    matched = 0;
    await workplace.platform.nextTurn();
    signal.throwIfAborted();
  }
  return false;
}
