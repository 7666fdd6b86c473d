/** Gives the reason why a server did not begin a request: `not-owner`, `closing`. The request may then be sent to another server. */
export const NOT_BEGUN_HEADER = 'X-Conv-Not-Begun';
