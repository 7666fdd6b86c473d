import { type ConversationSummary, toConversationId } from '@conv/core/store';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

const WHOLE_ID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const START_OF_ID = /^[0-9a-f]{4,8}(-[0-9a-f-]{0,26})?$/;

/** True for a text that can be an id or the start of it. */
export function isStartOfId(text: string): boolean {
  return WHOLE_ID.test(text) || START_OF_ID.test(text);
}

/**
 * Resolves with the id of the only conversation that begins with these characters. Calls `all` only for an incomplete id. Rejects
 * {@link CommandError}.
 */
export async function idOf(id: string, all: () => Promise<readonly ConversationSummary[]>): Promise<string> {
  if (WHOLE_ID.test(id)) return toConversationId(id);
  if (!START_OF_ID.test(id))
    throw new CommandError(
      exitCodes.usage,
      `expected an id or at least its first 4 characters, found ${JSON.stringify(id)}`,
    );
  const matches = (await all()).filter((each) => each.id.startsWith(id));
  const [match, other] = matches;
  if (match && !other) return match.id;
  if (match)
    throw new CommandError(exitCodes.usage, `${matches.length} conversations begin with ${id}; add more characters`);
  throw new CommandError(
    exitCodes.notFound,
    `no conversation begins with ${id}; check the id, or list the conversations`,
  );
}
