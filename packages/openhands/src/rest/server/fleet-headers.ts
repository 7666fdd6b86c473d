/** Names the server that handed a request on within its fleet. Such a request is not handed on again. */
export const FORWARDED_BY_HEADER = 'X-Conv-Forwarded-By';

/**
 * Stands in the answer to a request that a server did not begin with, and says why: `not-owner`, `closing`. The same request may be sent
 * to another server, whatever it is.
 */
export const NOT_BEGUN_HEADER = 'X-Conv-Not-Begun';
