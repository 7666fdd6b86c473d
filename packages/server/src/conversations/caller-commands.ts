import { isConversationError, type SentMessage } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { SendMessageRequest } from '@conv/openhands/rest';

import { accessIn } from '../auth/access-keys.ts';
import { checkRun } from '../auth/approver-checks.ts';
import type { Caller } from '../auth/principal.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { orRefused } from '../hosting/with-conversation.ts';
import { keyUsedBefore, messageIdOfKey } from '../http/idempotency-key.ts';
import { approvalOfRun } from './decision-of.ts';

/**
 * Sends a message in the name of a caller. Resolves as `HostedConversation.send`. Rejects as it does, and `ApiError` 422 for a key that another message
 * used.
 * @param key the key by which the message is repeated. Default: it is another message each time
 */
export function sendFor(
  hosted: HostedConversation,
  by: Caller,
  { content, run, sender }: SendMessageRequest,
  key: string | undefined,
): Promise<SentMessage> {
  const options = {
    run,
    by,
    ...(sender === null ? {} : { sender }),
    ...(key === undefined ? {} : { id: messageIdOfKey(hosted.id, key) }),
  };
  const message = { role: 'user', content, thinking_blocks: [] } as const;
  return orRefused(409, orUsedBefore(key, hosted.send(message, options)));
}

/** Rejects for a key that another message used. This is the only refusal left, because the message was checked before. */
async function orUsedBefore<T>(key: string | undefined, sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    if (key === undefined || !isConversationError(error, 'INVALID_INPUT')) throw error;
    throw keyUsedBefore(key, error);
  }
}

/** A run that a caller asks for. */
interface WantedRun {
  /** Maximum number of model responses. Null: the limit of the conversation. */
  readonly max_iterations: number | null;
  /** False for a run that approves nothing. */
  readonly approves: boolean;
  /** The message that the run is to answer, if that is the newest event. Null: it answers what there is. */
  readonly answers: string | null;
}

/**
 * Starts a run in the name of a caller. Resolves as `HostedConversation.start`. Rejects as it does, and `ApiError` 403 for a run that approves what the
 * caller may not approve, or that exceeds the limit of the conversation.
 */
export async function runFor(
  hosted: HostedConversation,
  by: Caller,
  { max_iterations: maxIterations, approves: wanted, answers }: WantedRun,
  platform: Pick<Platform, 'now'>,
): Promise<void> {
  const access = accessIn(by);
  checkRun(access, hosted.conversation.state, { approves: wanted, max_iterations: maxIterations });
  // a caller with a name decides by ids, and on nothing that comes to wait before the run begins
  const approves = wanted && access === 'approver' && by.name === null;
  const prepare = wanted ? approvalOfRun(hosted, by, platform) : undefined;
  const limit = maxIterations === null ? {} : { maxIterations };
  await orRefused(400, hosted.start({ ...limit, approves, answers, by, ...(prepare && { prepare }) }));
}
