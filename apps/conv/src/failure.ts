import type { AgentErrorCode } from '@conv/agent';
import { type ConversationErrorCode, errorText, isConversationError } from '@conv/core';
import { plainLine } from '@conv/visualize/text';
import { isStoreError, type StoreErrorCode } from '@conv/core/store';

import { CommandError } from './command-error.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { SERVER_KEY_VARIABLE } from './server/key-variable.ts';

/** A failure for a person and for a script. */
export interface Failure {
  /** Message in a single line. */
  readonly message: string;
  readonly exitCode: ExitCode;
}

const CONVERSATION: Partial<Record<ConversationErrorCode, ExitCode>> = {
  INVALID_INPUT: exitCodes.usage,
  UNKNOWN_EVENT: exitCodes.usage,
  UNKNOWN_ACTION: exitCodes.usage,
  EVENT_TOO_LARGE: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  OWNED: exitCodes.owned,
  FENCED: exitCodes.owned,
  AGENT_REQUIRED: exitCodes.agent,
  AGENT_MISMATCH: exitCodes.agent,
  TOOLS_REMOVED: exitCodes.agent,
  HOOKS_MISSING: exitCodes.agent,
  ID_MISMATCH: exitCodes.storage,
  STORE_FAILED: exitCodes.storage,
  DENIED: exitCodes.server,
  UNREACHABLE: exitCodes.server,
  SERVER_FAILED: exitCodes.server,
  LOG_CHANGED: exitCodes.server,
  OUTCOME_UNKNOWN: exitCodes.server,
};

const STORE: Partial<Record<StoreErrorCode, ExitCode>> = {
  INVALID_ID: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  EXISTS: exitCodes.usage,
  OWNED: exitCodes.owned,
  FENCED: exitCodes.owned,
};

/** Error codes for folders that a person named. */
const FOLDERS: ReadonlySet<AgentErrorCode> = new Set(['INVALID_SKILL', 'DUPLICATE_SKILL', 'INVALID_AGENT']);

const KEY_HINT = `; set the key of the server in ${SERVER_KEY_VARIABLE}, or name its variable with --server-key`;

/** Any error as one line and an exit code. */
export async function failureOf(error: unknown): Promise<Failure> {
  const exitCode = await exitCodeOf(error);
  if (exitCode === exitCodes.owned) return { message: ownedMessage(error), exitCode };
  return { message: oneLine(error) + (isKeyRefused(error) ? KEY_HINT : ''), exitCode };
}

/** True if a server did not accept the key, or got none. */
function isKeyRefused(error: unknown): boolean {
  if (!isConversationError(error, 'DENIED')) return false;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && 'status' in cause && cause.status === 401;
}

async function exitCodeOf(error: unknown): Promise<ExitCode> {
  if (error instanceof CommandError) return error.exitCode;
  if (isStoreError(error)) return STORE[error.code] ?? exitCodes.storage;
  if (!isConversationError(error)) return await exitCodeOfAgent(error);
  if (error.code === 'RUN_FAILED' && error.cause !== undefined) return await exitCodeOfRun(error.cause);
  return CONVERSATION[error.code] ?? exitCodes.failed;
}

/** Loads the packages of agents and hooks, which most failed commands did not need. */
async function exitCodeOfAgent(error: unknown): Promise<ExitCode> {
  const [{ isAgentError, isLlmError }, { isHooksError }] = await Promise.all([
    import('@conv/agent'),
    import('@conv/hooks'),
  ]);
  if (isLlmError(error)) return exitCodes.model;
  if (isAgentError(error)) return FOLDERS.has(error.code) ? exitCodes.usage : exitCodes.agent;
  return isHooksError(error) ? exitCodes.usage : exitCodes.failed;
}

/** Of a run on a server only the code of its error is known. */
async function exitCodeOfRun(cause: unknown): Promise<ExitCode> {
  if (cause instanceof Error && /^LLM[A-Z]/.test(cause.name)) return exitCodes.model;
  return await exitCodeOf(cause);
}

function oneLine(error: unknown): string {
  return plainLine(errorText(error)).replace(/\s+/g, ' ').trim();
}

function ownedMessage(error: unknown): string {
  const cause = error instanceof Error && isStoreError(error.cause) ? error.cause : error;
  if (!isStoreError(cause, 'OWNED') || !cause.owner) return oneLine(error);
  const { owner, until } = cause.owner;
  const span = until === undefined ? 'until that process ends' : `until ${new Date(until).toISOString()}`;
  const id = isConversationError(error) ? ` ${error.conversationId ?? ''}` : '';
  return `conversation${id} is owned by ${owner} ${span}; you can still read it (show, replay)`;
}
