/** Names the server that forwarded a request within its fleet. Such a request is not forwarded again. */
export const FORWARDED_BY_HEADER = 'X-Conv-Forwarded-By';

/** Gives the reason why a server did not begin a request: `not-owner`, `closing`. The request may then be sent to another server. */
export const NOT_BEGUN_HEADER = 'X-Conv-Not-Begun';
