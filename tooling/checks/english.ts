import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { proseLines } from './docs/markdown.ts';
import { commentsOf } from './english/comments.ts';
import { NAMES, OPENINGS, type Rule, SENTENCES, SUBJECTS } from './english/rules.ts';
import { type TestName, testNamesOf } from './english/test-names.ts';
import { checkWords } from './english/words.ts';
import { type Report, runCheck } from './report.ts';

/** Matches the names of tests and of their groups, those of a table too: its rows end with `](`, `)(` or a template. */
const TEST_NAME =
  /(?:\b(?:test|it|describe)(?:\.\w+)*\(|\]\)\(|\b(?:test|it|describe)\.(?:each|for)(?:<[^\n]*>)?\(\w+\)\()\s*(?:'((?:[^'\\]|\\.)+)'|"((?:[^"\\]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/g;

/** Matches the titles of conformance cases, which any function whose name ends in `Case` takes first. */
const CASE_TITLE = /\b\w*[cC]ase\(\s*(?:'((?:[^'\\]|\\.)+)'|"((?:[^"\\]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/g;

/** Matches the sources of the suites. */
const SUITE = /^packages\/conformance\/src\//;

/** Matches the files of tests. */
const TESTS = /\.test\.tsx?$/;

/** Matches documents that are history or made by a program; they keep their words. */
const NOT_READ = /(?:^|\/)(?:CHANGELOG\.md|LICENSE)$|^\.changeset\/|^docs\/decisions\/|\.golden\./;

/**
 * Checks the openings and subjects of comments, the subjects of test names, of titles of conformance cases and of documents, and
 * that public names and comments use the words of docs/glossary.md. Names of tests and titles of conformance cases must also be
 * sentences of at most 100 characters.
 */
export async function checkEnglish(root: string): Promise<Report> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  const files = [...new Set(listed.stdout.split('\0'))].filter((file) => file !== '' && !NOT_READ.test(file));
  const problems: string[] = [];
  const saw = { comments: 0, tests: 0, 'test names': 0, 'case titles': 0, 'lines of documents': 0 };
  for (const file of files.filter((each) => /\.(?:ts|tsx|mjs)$/.test(each))) {
    const source = readFileSync(join(root, file), 'utf8');
    const comments = commentsOf(source);
    saw.comments += comments.length;
    for (const { line, text } of comments)
      problems.push(...inComment(text).map((problem) => `${file}:${line} ${problem}`));
    const names = matched(source, TEST_NAME);
    const titles = SUITE.test(file) ? matched(source, CASE_TITLE) : [];
    const tests = TESTS.test(file) ? testNamesOf(file, source) : [];
    saw['test names'] += names.length;
    saw['case titles'] += titles.length;
    saw.tests += tests.length;
    const found = [
      ...[...names, ...titles].map(({ line, name }) => ({ line, wrong: broken(SUBJECTS, name) })),
      ...[...tests, ...titles].map(({ line, name }) => ({ line, wrong: broken(NAMES, name) })),
    ];
    for (const { line, wrong } of found) problems.push(...wrong.map((problem) => `${file}:${line} ${problem}`));
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

/** Lists the names that a pattern matches, each with its line. */
function matched(source: string, pattern: RegExp): readonly TestName[] {
  return [...source.matchAll(pattern)].map((match) => ({
    line: source.slice(0, match.index).split('\n').length,
    name: match[1] ?? match[2] ?? match[3] ?? '',
  }));
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
