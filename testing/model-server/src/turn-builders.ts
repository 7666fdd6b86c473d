import type { Answer, DropFault, HangFault, NonsenseFault, ScriptedCall, StatusFault } from './turn.ts';

/** Options of {@link fail} beside the status. */
export interface FailOptions {
  /** Sent as the `Retry-After` header, in seconds. */
  readonly retryAfter?: number;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A turn that answers with text; an array is streamed one chunk per element. */
export function say(text: string | readonly string[], options: Omit<Answer, 'text' | 'toolCalls'> = {}): Answer {
  return { ...options, text };
}

/** A turn that makes one tool call. A string or an array of strings is sent as the arguments without a check. */
export function call(
  name: string,
  args: object | string | readonly string[] = {},
  options: Omit<Answer, 'toolCalls'> & { readonly id?: string } = {},
): Answer {
  const { id, ...answer } = options;
  return { ...answer, toolCalls: [{ name, arguments: args, ...(id === undefined ? {} : { id }) }] };
}

/** A turn that makes several tool calls at once. */
export function calls(toolCalls: readonly ScriptedCall[], options: Omit<Answer, 'toolCalls'> = {}): Answer {
  return { ...options, toolCalls };
}

/** A turn that answers with an HTTP error in the endpoint's error format. */
export function fail(status: number, options: FailOptions = {}): StatusFault {
  const { retryAfter, headers, ...rest } = options;
  return {
    status,
    ...rest,
    headers: { ...(retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` }), ...headers },
  };
}

/** A turn that never ends; with `answer`, after the first half of that answer has been streamed. */
export function hang(answer?: Answer): HangFault {
  return answer === undefined ? { hang: true } : { hang: true, answer };
}

/** A turn that cuts the connection; `mid-stream` sends the first half of `answer` (or of a short text) before. */
export function drop(when: 'before' | 'mid-stream' = 'before', answer?: Answer): DropFault {
  return answer === undefined ? { drop: when } : { drop: when, answer };
}

/** A turn whose bytes are no answer. */
export function nonsense(raw = 'data: <html>upstream says no</html>\n\n'): NonsenseFault {
  return { raw };
}
