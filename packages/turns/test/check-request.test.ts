import type { Conversation, JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import { checkRequest } from '../src/check-request.ts';

const ASK_USER = { question: { type: 'string' }, free_text: { type: 'boolean' } };

/** A conversation in which a call of a client tool waits for its output. */
function waiting(tool: string, properties: JsonObject): Conversation {
  const call = { id: 'one', tool_name: tool, action: { kind: `ClientAction_${tool}` }, reasons: [] };
  const clientTools = [{ name: tool, description: '', parameters: { type: 'object', properties } }];
  return { state: { pendingActions: [call], calls: { one: 'started' }, clientTools } } as unknown as Conversation;
}

const message = (conversation: Conversation): Promise<void> =>
  checkRequest(conversation, [], [{ type: 'text', text: 'The red one.' }], () => true);

test('a message is taken while a question to the user is open, because it answers the question', async () => {
  await expect(message(waiting('ask_user', ASK_USER))).resolves.toBeUndefined();
});

test.each([
  ['another tool', 'ask_person', ASK_USER],
  ["a caller's tool with the name of the built-in one", 'ask_user', { about: { type: 'string' } }],
] as const)(
  'a message without the output is refused while a call of %s waits for the client',
  async (_, tool, given) => {
    await expect(message(waiting(tool, given))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  },
);
