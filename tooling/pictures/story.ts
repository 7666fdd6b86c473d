import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { call, fail, lastUserText, say, toolResults, type Answer, type TurnFunction } from '@conv/testing-model-server';

const SLUG = `export function slug(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from './slug.mjs';

test('words are joined', () => assert.equal(slug('Two Words'), 'two-words'));
test('marks are left out', () => assert.equal(slug('Ready? Go!'), 'ready-go'));
`;

/** Puts the files of the story into a folder: a function with a test that fails. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'slug.mjs'), SLUG);
  await writeFile(join(folder, 'slug.test.mjs'), TEST);
}

/** The call by which the agent runs the tests: their names and outcomes, without times, so that pictures do not change. */
const RUN_TESTS = "node --test --test-reporter=tap | grep -E '^(not )?ok|^# (pass|fail)'";

const steps = (folder: string): readonly Answer[] => [
  call(
    'terminal',
    { command: RUN_TESTS, security_risk: 'LOW', summary: 'Run the tests' },
    { text: 'I run the tests first, to see what fails.', usage: usage(2_140, 61, 0), delay: THINKS },
  ),
  call(
    'file_editor',
    { command: 'view', path: join(folder, 'slug.mjs'), security_risk: 'LOW', summary: 'Read the function' },
    { usage: usage(2_390, 44, 2_048), delay: THINKS },
  ),
  call(
    'file_editor',
    {
      command: 'str_replace',
      path: join(folder, 'slug.mjs'),
      old_str: "  return title.toLowerCase().replaceAll(' ', '-');",
      new_str: "  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];\n  return words.join('-');",
      security_risk: 'LOW',
      summary: 'Join words alone',
    },
    {
      text: 'Question marks stay in the slug. Only letters and digits belong into it.',
      usage: usage(2_610, 118, 2_304),
      delay: THINKS,
    },
  ),
  call(
    'terminal',
    { command: RUN_TESTS, security_risk: 'LOW', summary: 'Run the tests again' },
    { usage: usage(2_940, 38, 2_560), delay: THINKS },
  ),
];

/** Milliseconds that the model thinks, so that a run can be watched. */
const THINKS = 700;

const DONE = 'Both tests pass. `slug` now keeps letters and digits, and joins them with a dash.';

/** A model that mends a function, asks before it publishes, and has no key for one conversation. */
export function storyScript(folder: string): TurnFunction {
  return (request) => {
    const text = lastUserText(request);
    const results = toolResults(request, 'since-last-user-message');
    if (text.includes('translate')) return fail(401, { message: 'The key of the provider is not valid.' });
    if (text.includes('publish') && results.length === 0)
      return call(
        'terminal',
        { command: 'git push origin main --force', security_risk: 'HIGH', summary: 'Publish the branch' },
        { text: 'The tests pass, so I publish the branch.', usage: usage(3_120, 52, 2_816), delay: THINKS },
      );
    if (text.includes('publish'))
      return say('It stays here, then. The change is ready for your review.', { usage: usage(3_300, 24, 3_072) });
    if (text.includes('slug'))
      return steps(folder)[results.length] ?? say(DONE, { usage: usage(3_080, 40, 2_816), chunkDelay: 40 });
    return say(`A short answer to: ${text}`, { usage: usage(1_200, 20, 0) });
  };
}

function usage(promptTokens: number, completionTokens: number, cachedTokens: number): Answer['usage'] & object {
  return { promptTokens, completionTokens, cachedTokens };
}
