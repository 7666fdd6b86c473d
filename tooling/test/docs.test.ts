import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkDocs } from '../checks/docs.ts';
import { codeBlocks } from '../checks/docs/markdown.ts';
import { missingPaths } from '../checks/docs/paths.ts';
import { missingScripts } from '../checks/docs/scripts.ts';
import { workspaceWith } from './fixture.ts';

test('a listing that does not compile is named with the line of the document', async () => {
  const root = workspaceWith({
    'guide.md': [
      '# Title',
      '',
      '```ts',
      "import type { Box } from '@conv/one';",
      'export const size = (box: Box): number => box.size;',
      '```',
      '',
      'and then',
      '',
      '```ts continues',
      'export const wrong = (box: Box): string => box.size;',
      '```',
    ].join('\n'),
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const { saw, problems } = await checkDocs(root);
  expect(saw).toMatchObject({ documents: 2, 'ts blocks': 2 });
  expect(problems).toEqual([
    "guide.md:11 does not compile: error TS2322: Type 'number' is not assignable to type 'string'.",
  ]);
});

test("the first block of the root's README is run, and named when it prints something else", async () => {
  const root = workspaceWith({ 'README.md': "```ts\nconsole.log('something');\n```\n" });
  execFileSync('git', ['init', '-q'], { cwd: root });
  // the check asks npm for the oldest Node; its words are the same on this one, without a network
  const { problems } = await checkDocs(root, process.versions.node);
  expect(problems).toEqual([expect.stringMatching(/^README\.md:\d says something else\n.*something/s)]);
});

test('a fence inside a longer fence is text', () => {
  const text = ['````md', '```ts', 'const inner = 1;', '```', '````', '```typescript', 'const outer = 1;', '```'].join(
    '\n',
  );
  expect(codeBlocks('x.md', text).map(({ line, code }) => ({ line, code }))).toEqual([
    { line: 7, code: 'const outer = 1;' },
  ]);
});

test('missing paths and links are named; existing paths and links, and other code, are not', () => {
  const root = workspaceWith({});
  const text = [
    '`packages/one/src/index.ts` `packages/<name>/README.md` `packages/*/src` `events/event-00000.json` `@conv/one`',
    '[there](packages/one/README.md#part) [web](https://example.invalid) `packages/two`',
    '[gone](gone.md)',
  ].join('\n');
  expect(missingPaths(root, 'README.md', text)).toEqual({
    saw: 6,
    problems: [
      'README.md:2 names packages/two, which is not there',
      'README.md:3 links to gone.md, which is not there',
    ],
  });
});

test('files that running leaves behind are not looked for, whether they are there or not', () => {
  const root = workspaceWith({ 'workspace/conversations/one.txt': '', 'dist/index.js': '' });
  const text = '`workspace/conversations` `workspace/project` `dist/main.js`';
  expect(missingPaths(root, 'README.md', text)).toEqual({ saw: 0, problems: [] });
});

test('a package document may name paths from its own folder', () => {
  const root = workspaceWith({});
  const text = '`src/index.ts` `src/gone.ts`';
  expect(missingPaths(root, 'packages/one/README.md', text).problems).toEqual([
    'packages/one/README.md:1 names src/gone.ts, which is not there',
  ]);
});

test('scripts that are not there are named', () => {
  const root = workspaceWith({});
  const text = [
    'npm test',
    'npm run lint -- --x',
    'npm run gone',
    'pnpm --filter @conv/one build',
    'pnpm --filter @conv/two build',
  ];
  expect(missingScripts(root, 'README.md', text.join('\n'))).toEqual({
    saw: 5,
    problems: [
      'README.md:3 names the script gone, which is not there',
      'README.md:5 names the package @conv/two, which is not there',
    ],
  });
});
