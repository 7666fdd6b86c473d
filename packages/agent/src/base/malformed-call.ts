import type { JsonObject } from '@conv/core/events';
import { isObject } from '@conv/core/platform';

/** Returns the arguments of a call that cannot be read, with the error that the model reads. OpenHands stores the same form. */
export function malformedArguments(error: string): JsonObject {
  return { _openhands_malformed_tool_call: true, error };
}

/** Returns the error in arguments that {@link malformedArguments} made; `undefined` for other arguments. */
export function malformedError(parsed: unknown): string | undefined {
  if (!isObject(parsed) || parsed['_openhands_malformed_tool_call'] !== true) return undefined;
  return typeof parsed['error'] === 'string' ? parsed['error'] : undefined;
}
