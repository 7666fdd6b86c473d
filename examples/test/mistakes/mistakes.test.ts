import { rmSync } from 'node:fs';

import { afterAll, expect, test } from 'vitest';

import { agentMistakes } from './agent-mistakes.ts';
import { callMistakes } from './call-mistakes.ts';
import { remoteMistakes } from './remote-mistakes.ts';
import { runtimeMistakes } from './runtime-mistakes.ts';
import { folder, type Mistake } from './setting.ts';
import { storeMistakes } from './store-mistakes.ts';
import { toolMistakes } from './tool-mistakes.ts';

const mistakes: readonly Mistake[] = [
  ...runtimeMistakes,
  ...remoteMistakes,
  ...agentMistakes,
  ...toolMistakes,
  ...storeMistakes,
  ...callMistakes,
];

/** Matches messages of a program that did not check its input. */
const INTERNAL =
  /Cannot read|is not a function|is not iterable|is not a constructor|argument must be of type|in operator/;

/** Matches help for the reader: the expected value, the choices, or the next step. */
const HELP =
  /expected|write|open it again|did you mean|the options are|there are|such as|need|must|give|is reserved|is not? |no such|unknown|not there|has no|are named|too |is not a database|option of it/i;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function answer(make: () => unknown): Promise<string> {
  try {
    await make();
    return 'nothing: it was taken';
  } catch (error) {
    if (!(error instanceof Error)) return `no error: ${String(error)}`;
    const text = error.message.replaceAll(folder, '<folder>');
    const short = text.replace(/the options (are )?\w+(?:, (?!found)\w+)+/, 'the options $1…');
    return short.replaceAll(/(?!0{8}|0123)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');
  }
}

const named = mistakes.map(([make, message], index) => ({ number: index + 1, make, message }));

test.for(named)('P13: typical mistake $number is answered: $message', async ({ make, message }) => {
  expect(await answer(make)).toBe(message);
});

test('P13: the list has at least 75 mistakes, and every answer says what to write', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(75);
  for (const [, message] of mistakes) {
    expect(message).not.toMatch(INTERNAL);
    expect(message).toMatch(HELP);
  }
});
