/** The variable that holds the key of a server when no other one is named. */
export const SERVER_KEY_VARIABLE = 'OH_SESSION_API_KEY';
