import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commentsOf } from '../checks/english/comments.ts';
import { checkEnglish } from '../checks/english.ts';
import { folderWith } from './fixture.ts';

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

test('riddles in comments, test names and documents are named with their line', async () => {
  const root = folderWith({
    'README.md': '# Title\n\nCall it before somebody else does.\n\n```ts\n// nobody reads blocks\n```\n',
    'CHANGELOG.md': 'nobody\n',
    'src/a.ts':
      '/** What is sent.\n * @returns Whether it was. */\nexport const a = 1;\n/** One of the four, or none that is whole. */\n',
    'test/a.test.ts': `${'test'}('one that waits is woken', () => {});\n// Waits.\n`,
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const { saw, problems } = await checkEnglish(root);
  expect(saw).toEqual({ comments: 3, 'test names': 1, 'lines of documents': 5 });
  expect(problems.toSorted()).toEqual([
    'README.md:3 has a person that is no role: "Call it before somebody else does."; name the caller, the user, the process',
    'src/a.ts:1 opens with a question word: "What is sent."; begin with a verb, or with the noun itself',
    'src/a.ts:1 opens with a question word: "Whether it was."; begin with a verb, or with the noun itself',
    'test/a.test.ts:1 has the subject "one that": "one that waits is woken"; name the noun',
  ]);
});
