import type { AgentContext, PermissionOption } from '@agentclientprotocol/sdk';
import type { Answer, CallItem } from '@conv/turns';

import { toolCallOf } from './tool-calls.ts';

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** A question about a call. */
export interface PermissionRequest {
  readonly sessionId: string;
  readonly call: CallItem;
  /** Withdraws the question. */
  readonly signal: AbortSignal;
}

/** Asks a person at an editor. Resolves with `undefined` if the person leaves the question without an answer. */
export async function askPermission(
  editor: AgentContext,
  { sessionId, call, signal }: PermissionRequest,
  workingDir: string,
): Promise<Answer | undefined> {
  const { outcome } = await editor.request(
    'session/request_permission',
    { sessionId, toolCall: toolCallOf(call, workingDir), options: [...OPTIONS] },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome !== 'selected') return undefined;
  return { isAllowed: outcome.optionId === 'allow', reason: 'Rejected in the editor.' };
}
