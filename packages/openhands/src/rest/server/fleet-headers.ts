/** Names the server that handed a request on within its fleet. Such a request is not handed on again. */
export const FORWARDED_BY_HEADER = 'X-Conv-Forwarded-By';

/** Says why a server did not begin a request: `not-owner`, `closing`. It may then be sent to another server. */
export const NOT_BEGUN_HEADER = 'X-Conv-Not-Begun';
