import { expect, test } from 'vitest';

import { createModelServer, fail, lastUserText, say, type ModelServer } from '../src/index.ts';

const QUESTION = 'Find a title for a conversation that begins with the message below, at most 50 characters.';

/** Asks for a title as agents do. Resolves with the text of the answer, or with the status of a refusal. */
async function titleOf(server: ModelServer, message: string): Promise<unknown> {
  const content = `${QUESTION}\n\n<message>\n${message}\n</message>`;
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content }] }),
  });
  if (!response.ok) return response.status;
  const { choices } = (await response.json()) as {
    readonly choices: readonly [{ readonly message: { readonly content: string } }];
  };
  return choices[0].message.content;
}

test('a request for a title uses up no turn, and its answer is the message', async () => {
  await using server = await createModelServer({ script: [say('The first turn.')] });
  expect(await titleOf(server, 'Mend\n<b>it</b>.')).toBe('Mend\n<b>it</b>.');
  expect([server.requests, server.remainingTurns]).toEqual([[], 1]);
});

test('a request for a title gets the turn of the options', async () => {
  await using fixed = await createModelServer({ script: [], titles: say('A title') });
  expect(await titleOf(fixed, 'Mend it.')).toBe('A title');
  await using asked = await createModelServer({
    script: [],
    titles: (request) => fail(lastUserText(request) ? 400 : 500),
  });
  expect(await titleOf(asked, 'Mend it.')).toBe(400);
});

test('a request for a title is one of the script on request', async () => {
  await using server = await createModelServer({ script: [say('Of the script')], titles: 'script' });
  expect(await titleOf(server, 'Mend it.')).toBe('Of the script');
  expect(server.requests).toHaveLength(1);
});
