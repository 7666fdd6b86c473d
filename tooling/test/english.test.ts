import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commentsOf } from '../checks/english/comments.ts';
import { checkEnglish } from '../checks/english.ts';
import { commentHas, forbiddenWords, nameHas } from '../checks/english/glossary.ts';
import { publicNames } from '../checks/english/public-names.ts';
import { testNamesOf } from '../checks/english/test-names.ts';
import { failures } from '../checks/report.ts';
import { workspaceWith } from './fixture.ts';

const GLOSSARY = [
  '# Words',
  '',
  '| word | meaning | not | where |',
  '| --- | --- | --- | --- |',
  '| heartbeat | A sign. | `sign of life`, pulse | here |',
  '| settings store | Files. | `Keep` | here |',
  '| to resume | To go on. | `takeUp` | here |',
  '',
  '| other | not a table of `words` |',
  '',
].join('\n');

test('comments are read with their lines, strings that hold the marks are not', () => {
  const source = [
    "const address = 'http://host'; // Says where.",
    '/**',
    ' * Returns the name,',
    ' * in small letters.',
    ' */',
    '  // Two lines',
    '  // are one comment.',
    'const text = `/* none */`;',
  ].join('\n');
  expect(commentsOf(source)).toEqual([
    { line: 1, text: 'Says where.' },
    { line: 2, text: 'Returns the name, in small letters.' },
    { line: 6, text: 'Two lines are one comment.' },
  ]);
});

test('a later sentence of a comment that begins with a question word is named with its line', async () => {
  const root = workspaceWith({
    'docs/glossary.md': GLOSSARY,
    'src/a.ts':
      '/** Copies a log. What is lost\n * stays lost. */\nexport const a = 1;\n// Says what is lost: what a reader needs\n',
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const { problems } = await checkEnglish(root);
  expect(problems).toEqual([
    'src/a.ts:1 has a sentence that begins with a question word: "Copies a log. What is lost stays lost."; name the thing: "Commits that are lost …", and not "What is lost …"',
  ]);
});

test('riddles in comments, test names and documents are named with their line', async () => {
  const root = workspaceWith({
    'docs/glossary.md': GLOSSARY,
    'packages/conformance/src/cases.ts':
      "export const all = [storeCase('one that waits', run), otherCase(\n  `somebody ${word}`, run)];\n",
    'README.md': '# Title\n\nCall it before somebody else does.\n\n```ts\n// nobody reads blocks\n```\n',
    'CHANGELOG.md': 'nobody\n',
    'src/a.ts':
      '/** What is sent.\n * @returns Whether it was. */\nexport const a = 1;\n/** One of the four, or none that is whole. */\n',
    'test/a.test.ts': `${'test'}('one that waits is woken', () => {});\n// Waits.\n${'test'}.each([1])(\`whoever has %i waits\`, work);\n`,
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const { saw, problems } = await checkEnglish(root);
  expect(saw).toMatchObject({ comments: 3, 'test names': 2, 'case titles': 2, 'forbidden words': 3 });
  expect(problems.toSorted()).toEqual(
    [
      'README.md:3 has a person that is no role: "Call it before somebody else does."; name the caller, the user, the process',
      'packages/conformance/src/cases.ts:1 has the subject "one that": "one that waits"; name the noun',
      'packages/conformance/src/cases.ts:1 has a person that is no role: "somebody ${word}"; name the caller, the user, the process',
      'src/a.ts:1 opens with a question word: "What is sent."; begin with a verb, or with the noun itself',
      'src/a.ts:1 opens with a question word: "Whether it was."; begin with a verb, or with the noun itself',
      'test/a.test.ts:1 has the subject "one that": "one that waits is woken"; name the noun',
      'test/a.test.ts:3 has a person that is no role: "whoever has %i waits"; name the caller, the user, the process',
    ].toSorted(),
  );
});

test('the glossary forbids the code in its column "not"', () => {
  expect(forbiddenWords(GLOSSARY)).toEqual([
    { line: 5, forbidden: 'sign of life', word: 'heartbeat' },
    { line: 6, forbidden: 'Keep', word: 'settings store' },
    { line: 7, forbidden: 'takeUp', word: 'to resume' },
  ]);
});

test('a forbidden word is found in the words of a name, a forbidden name as a whole', () => {
  const found = ['lastSignOfLife', 'SIGN_OF_LIFE', 'signOfLifeless', 'Keep', 'keepFirst', 'takeUp', 'takeUpTo'].filter(
    (name) => ['sign of life', 'Keep', 'takeUp'].some((word) => nameHas(name, word)),
  );
  expect(found).toEqual(['lastSignOfLife', 'SIGN_OF_LIFE', 'Keep', 'takeUp']);
});

test('names of tests are read from every way to declare a test, and from nothing else', () => {
  const source = [
    "describe('group', () => {",
    "  test('plain', () => {});",
    '  it.skipIf(isWindows)("skipped", () => {});',
    "  test.each<[string]>([['is a row']])(",
    '    `row ${row} of ${rows}`, () => {});',
    "  test.for(rows)('of a list', () => expect(/x/.test('in a pattern')).toBe(true));",
    '  test.each`a${1}`("tagged", () => {});',
    '  test(name, () => {});',
    '});',
    "const text = `test('in a text', work)`; // test('in a comment')",
  ].join('\n');
  expect(testNamesOf('a.test.ts', source)).toEqual([
    { line: 2, name: 'plain' },
    { line: 3, name: 'skipped' },
    { line: 5, name: 'row  of ' },
    { line: 6, name: 'of a list' },
    { line: 7, name: 'tagged' },
  ]);
  expect(testNamesOf('a.test.tsx', 'test("drawn", () => <b>{it("inner")}</b>);')).toHaveLength(2);
});

test('names of tests and cases that are no short sentences are named with their line', async () => {
  const long = (length: number): string => `a name ${'x'.repeat(length - 7)}`;
  const tests = [
    'is stored',
    'P1, P13: refuses a wrong id',
    'of a fork',
    'whose owner died',
    long(101),
    long(100),
    'at most ten ids are read',
    'runs of a server wait',
    'isSameJson compares any order',
    'P4: a fork is stored',
  ];
  const root = workspaceWith({
    'docs/glossary.md': GLOSSARY,
    'packages/conformance/src/cases.ts':
      "export const all = [storeCase('P2: keeps a lease', run), storeCase('a lease ends', run)];\n",
    'src/a.ts': "/** Stores. */\ntest('is no test here', work);\n",
    'test/a.test.ts': `describe('a group', () => {\n${tests.map((name) => `  test('${name}', work);\n`).join('')}});\n`,
    'README.md': '# Title\n\nText.\n',
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const { saw, problems } = await checkEnglish(root);
  expect(saw).toMatchObject({ tests: tests.length });
  const verb = 'begin with the subject, so that the name is a sentence without its group';
  expect(problems.toSorted()).toEqual([
    `packages/conformance/src/cases.ts:1 begins with a verb: "P2: keeps a lease"; ${verb}`,
    `test/a.test.ts:2 begins with a verb: "is stored"; ${verb}`,
    `test/a.test.ts:3 begins with a verb: "P1, P13: refuses a wrong id"; ${verb}`,
    'test/a.test.ts:4 begins with a preposition: "of a fork"; begin with the subject, and put the circumstance behind it',
    'test/a.test.ts:5 begins with a word that needs a sentence before it: "whose owner died"; begin with the subject, and name its noun',
    `test/a.test.ts:6 is longer than 100 characters: "${long(101).slice(0, 80)}"; say one thing`,
  ]);
});

test('a comment may begin with a forbidden name that is a common word', () => {
  expect(commentHas('Keep the path.', 'Keep')).toBe(false);
  expect(commentHas('Sign of life of a store.', 'sign of life')).toBe(true);
  expect(commentHas('See {@link takeUp}; characters take up to four.', 'takeUp')).toBe(true);
  expect(commentHas('Characters take up to four.', 'takeUp')).toBe(false);
});

test('public names are the exports of a package and their public members', () => {
  const root = workspaceWith({
    'packages/one/dist/index.d.ts':
      "export { Box, type Lid as Cover } from './box.ts';\nexport declare function open(patience: number): void;\nexport type { Far } from '@conv/two';\n",
    'packages/one/dist/box.d.ts':
      'export interface Lid { readonly signOfLife: number; hinge(): void }\nexport declare class Box { #a; private b; static of(): Box }\nexport declare const hidden: 1;\n',
  });
  expect(publicNames(root).map(({ owner, name }) => (owner === name ? name : `${owner}.${name}`))).toEqual([
    'Box',
    'Box.of',
    'Cover',
    'Cover.signOfLife',
    'Cover.hinge',
    'open',
    'Far',
  ]);
});

test('names and comments with a forbidden word are named; without a glossary the check fails', async () => {
  const files = {
    'packages/one/dist/index.d.ts': 'export interface Keep { readonly signOfLife: number }\n',
    'packages/one/src/index.ts': '/** Renews the sign of life. */\n',
  };
  const root = workspaceWith({ ...files, 'docs/glossary.md': GLOSSARY });
  execFileSync('git', ['init', '-q'], { cwd: root });
  expect((await checkEnglish(root)).problems.toSorted()).toEqual([
    'packages/one/dist/index.d.ts exports Keep, which has "Keep"; the glossary says "settings store"',
    'packages/one/dist/index.d.ts exports Keep.signOfLife, which has "sign of life"; the glossary says "heartbeat"',
    'packages/one/src/index.ts:1 has "sign of life"; the glossary says "heartbeat"',
  ]);
  const without = workspaceWith(files);
  execFileSync('git', ['init', '-q'], { cwd: without });
  expect(failures(await checkEnglish(without))).toContain('saw no forbidden words: nothing was checked');
});
