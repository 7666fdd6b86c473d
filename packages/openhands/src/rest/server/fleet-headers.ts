/**
 * Names the server that hands a request on to another one of the same fleet. A request that has it is not handed on again; it gives a
 * caller nothing.
 */
export const FORWARDED_BY_HEADER = 'X-Conv-Forwarded-By';

/**
 * Stands in the answer to a request that a server did not begin with, and says why: `not-owner`, `closing`. The same request may be sent
 * to another server, whatever it is.
 */
export const NOT_BEGUN_HEADER = 'X-Conv-Not-Begun';
