import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { proseLines } from './docs/markdown.ts';
import { commentsOf } from './english/comments.ts';
import { OPENINGS, type Rule, SENTENCES, SUBJECTS } from './english/rules.ts';
import { checkWords } from './english/words.ts';
import { type Report, runCheck } from './report.ts';

/** Matches the names of tests and of their groups, those of a table too: its rows end with `](`, `)(` or a template. */
const TEST_NAME =
  /(?:\b(?:test|it|describe)(?:\.\w+)*\(|\]\)\(|\b(?:test|it|describe)\.(?:each|for)(?:<[^\n]*>)?\(\w+\)\()\s*(?:'((?:[^'\\]|\\.)+)'|"((?:[^"\\]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/g;

/** Matches the titles of conformance cases, which any function whose name ends in `Case` takes first. */
const CASE_TITLE = /\b\w*[cC]ase\(\s*(?:'((?:[^'\\]|\\.)+)'|"((?:[^"\\]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/g;

/** Matches the sources of the suites. */
const SUITE = /^packages\/conformance\/src\//;

/** Matches documents that are history or made by a program; they keep their words. */
const NOT_READ = /(?:^|\/)(?:CHANGELOG\.md|LICENSE)$|^\.changeset\/|^docs\/decisions\/|\.golden\./;

/**
 * Checks the openings and subjects of comments, the subjects of test names, of titles of conformance cases and of documents, and
 * that public names and comments use the words of docs/glossary.md.
 */
export async function checkEnglish(root: string): Promise<Report> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  const files = [...new Set(listed.stdout.split('\0'))].filter((file) => file !== '' && !NOT_READ.test(file));
  const problems: string[] = [];
  const saw = { comments: 0, 'test names': 0, 'case titles': 0, 'lines of documents': 0 };
  for (const file of files.filter((each) => /\.(?:ts|tsx|mjs)$/.test(each))) {
    const source = readFileSync(join(root, file), 'utf8');
    const comments = commentsOf(source);
    saw.comments += comments.length;
    for (const { line, text } of comments)
      problems.push(...inComment(text).map((problem) => `${file}:${line} ${problem}`));
    const names = [...source.matchAll(TEST_NAME)];
    const titles = SUITE.test(file) ? [...source.matchAll(CASE_TITLE)] : [];
    saw['test names'] += names.length;
    saw['case titles'] += titles.length;
    for (const name of [...names, ...titles]) {
      const line = source.slice(0, name.index).split('\n').length;
      const title = name[1] ?? name[2] ?? name[3] ?? '';
      problems.push(...broken(SUBJECTS, title).map((problem) => `${file}:${line} ${problem}`));
    }
  }
  for (const file of files.filter((each) => each.endsWith('.md'))) {
    const lines = proseLines(readFileSync(join(root, file), 'utf8'));
    saw['lines of documents'] += lines.length;
    for (const { line, text } of lines)
      problems.push(...broken(SUBJECTS, text).map((problem) => `${file}:${line} ${problem}`));
  }
  const words = checkWords(root, files);
  return { saw: { ...saw, ...words.saw }, problems: [...problems, ...words.problems] };
}

/** Checks the opening of a comment and of each of its tags, and every sentence and subject in it. */
function inComment(text: string): readonly string[] {
  const parts = text.split(/(?:^|\s)@(?:returns|throws|param\s+\S+|defaultValue|remarks|deprecated)\s+(?:-\s+)?/);
  const openings = parts.flatMap((part) => broken(OPENINGS, part.replace(/^\{@?[^}]*\}\s*/, '')));
  return [...openings, ...broken(SENTENCES, text), ...broken(SUBJECTS, text)];
}

function broken(rules: readonly Rule[], text: string): readonly string[] {
  return rules
    .filter(({ pattern }) => pattern.test(text))
    .map(({ found, write }) => `${found}: "${text.slice(0, 80)}"; ${write}`);
}

if (import.meta.main) await runCheck('english', checkEnglish);
