import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/tool';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';

/**
 * Asks a model for a server. Gets the parameters of `sampling/createMessage` as the server wrote them, and resolves with the result as the protocol has it:
 * `{ role: 'assistant', content: { type: 'text', text }, model }`. The server reads that a rejection happened, and not its text.
 *
 * @param about - `server` is the name of the server in the configuration; `signal` aborts when the server withdraws the request, or its call ends
 */
export type McpSampling = (
  request: JsonObject,
  about: { readonly server: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** Asks a model for one server. Rejects `ProtocolError`, and with the reason of the signal. */
export type ServerSampling = (request: unknown, signal: AbortSignal) => Promise<JsonObject>;

/** The name of the request by which a server asks a model. */
export const SAMPLING = 'sampling/createMessage';

/** Returns the sampling of one server. */
export function samplingOf(server: string, sampling: McpSampling): ServerSampling {
  return async (request, signal) => {
    if (!isJsonObject(request))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${SAMPLING}: expected parameters, found none`);
    try {
      const result: unknown = await sampling(request, { server, signal });
      if (isJsonObject(result)) return result;
    } catch {
      // the text is for the app alone
      signal.throwIfAborted();
    }
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${SAMPLING} failed; the client has the reason`);
  };
}
