import type { AgentContext, PermissionOption } from '@agentclientprotocol/sdk';
import { kindText, type Answer, type CallKind, type Question } from '@conv/turns';

import { toolCallOf } from './tool-calls.ts';

/** A place to ask at. */
export interface AskedSession {
  readonly sessionId: string;
  readonly workingDir: string;
}

/** Asks a person at an editor. Resolves with `undefined` if the person leaves the question without an answer. */
export async function askPermission(
  editor: AgentContext,
  { sessionId, workingDir }: AskedSession,
  { call, kind, signal }: Question,
): Promise<Answer | undefined> {
  const { outcome } = await editor.request(
    'session/request_permission',
    { sessionId, toolCall: toolCallOf(call, workingDir), options: optionsFor(kind) },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome !== 'selected') return undefined;
  const isAlways = outcome.optionId === 'allow-always';
  return { isAllowed: isAlways || outcome.optionId === 'allow', isAlways, reason: 'Rejected in the editor.' };
}

function optionsFor(kind: CallKind | undefined): PermissionOption[] {
  const name = kind && `Always allow ${kindText(kind)} in this conversation`;
  return [
    { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    ...(name === undefined ? [] : [{ optionId: 'allow-always', name, kind: 'allow_always' as const }]),
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}
