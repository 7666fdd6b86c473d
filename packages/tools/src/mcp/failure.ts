import { isToolError } from '@conv/core/tool';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

import { McpError } from './mcp-error.ts';
import { NotOpened } from './open-server.ts';
import { ServerFault } from './server-fault.ts';

/** The meaning of a failed request for the connection and for the call. Reasons may hold text of the server. */
export type Failure =
  /** The request took too long; the server was told to stop. */
  | { readonly kind: 'timeout' }
  | {
      /**
       * `refused`: the server did not take the request, so nothing was done, and another connection may help. `lost`:
       * the connection broke during the request, and its effect is unknown. `answered`: the server declined the
       * request, or its answer is invalid.
       */
      readonly kind: 'refused' | 'lost' | 'answered';
      readonly reason: string;
      /** The last output of the server's process. */
      readonly said?: string;
    };

// the connection was never made, so the request was never sent
const NOT_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there; check that it runs, and the host and port of its url',
  ENOTFOUND: 'its host is not known; check its url',
  EAI_AGAIN: 'its host cannot be looked up now; check the network',
  EHOSTUNREACH: 'its host cannot be reached; check the network',
  ENETUNREACH: 'its network cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'its host does not answer; check its url and the network',
};

const NOT_STARTED: Readonly<Record<string, string>> = {
  ENOENT: 'its command was not found, or its cwd is not a folder; check that it is installed and in PATH',
  ENOTDIR: 'its cwd is not a folder',
  EACCES: 'its command may not be run',
  E2BIG: 'its arguments and variables are too long',
};

/** Classifies an error of the client or of its transports. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ServerFault) return { kind: error.kind, reason: error.message };
  // of the sandbox, which says what to do
  if (isToolError(error)) return { kind: 'refused', reason: error.message };
  if (error instanceof McpError) return { kind: 'refused', reason: error.message };
  if (error instanceof NotOpened) return fromOpening(error);
  if (error instanceof SdkHttpError) return fromStatus(error.status);
  if (error instanceof SdkError) return fromClient(error);
  if (error instanceof ProtocolError) return { kind: 'answered', reason: error.message };
  const code = codeOf(error);
  const notSent = code === undefined ? undefined : (NOT_SENT[code] ?? NOT_STARTED[code]);
  if (notSent !== undefined) return { kind: 'refused', reason: notSent };
  return { kind: 'lost', reason: code === undefined ? 'the connection failed' : `the connection failed with ${code}` };
}

function fromOpening({ cause, end, lastWords }: NotOpened): Failure {
  const failure = failureOf(cause);
  const known = failure.kind === 'refused' || failure.kind === 'answered' ? failure.reason : undefined;
  const reason = known ?? end ?? (failure.kind === 'timeout' ? 'it did not answer in time' : failure.reason);
  return { kind: 'refused', reason, said: lastWords };
}

function fromClient(error: SdkError): Failure {
  const { code, message, cause } = error;
  if (code === SdkErrorCode.RequestTimeout) return { kind: 'timeout' };
  if (code === SdkErrorCode.NotConnected) return { kind: 'refused', reason: 'it is not connected' };
  if (code === SdkErrorCode.ConnectionClosed || code === SdkErrorCode.SendFailed)
    return { kind: 'lost', reason: 'the connection was closed' };
  if (code === SdkErrorCode.EraNegotiationFailed && cause !== undefined) return failureOf(cause);
  if (code === SdkErrorCode.InvalidResult)
    return { kind: 'answered', reason: 'it answered with something that the protocol does not allow' };
  return { kind: 'answered', reason: message };
}

function fromStatus(status: number): Failure {
  const answer = `it answered HTTP ${status}`;
  if (status === 401 || status === 403)
    return { kind: 'answered', reason: `${answer}; check its auth, its headers and the secrets in them` };
  // the server has forgotten the session; it may have been restarted
  if (status === 404 || status === 400)
    return { kind: 'refused', reason: `${answer}; check the path of its url and its transport` };
  if (status === 405) return { kind: 'answered', reason: `${answer}; check the path of its url and its transport` };
  return { kind: 'answered', reason: answer };
}

function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}
