import { ApiError } from './api-error.ts';

/**
 * Makes the answer to a request whose body has an invalid member: 422 with OpenHands' list of one `value_error`.
 *
 * @param place - The member, or the path to it below the body; digits become indexes.
 * @param message - Says the expected value, and the way to mend the request.
 */
export function invalidMember(place: string | readonly string[], message: string, cause?: unknown): ApiError {
  const loc = ['body', ...[place].flat()].map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return new ApiError(422, [{ type: 'value_error', loc, msg: message, input: null }], { cause });
}
