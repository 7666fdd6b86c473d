/** Code and reason with which a server closes a socket. */
export interface CloseCode {
  readonly code: number;
  readonly reason: string;
  /** When a client may connect again: `never` with the same request and key, or `later`, after a pause. */
  readonly reconnect: 'never' | 'later';
}

/** The codes and reasons with which servers close sockets; after any other close, which is the network's, clients try again. */
export const CLOSE_CODES: {
  /** The first frame was no valid auth frame, or came too late. */
  readonly authenticationFailed: CloseCode;
  /** The key lacks the scope that the socket needs. */
  readonly forbidden: CloseCode;
  /** There is no such conversation for this key, or another server owns it. */
  readonly notFound: CloseCode;
  readonly tooManyConnections: CloseCode;
  /** Of hosted servers: credentials must be bound first. */
  readonly credentialBinding: CloseCode;
  /** The client did not read fast enough; it comes back with its cursor. */
  readonly slowConsumer: CloseCode;
  /** A frame is too large; read the event after the cursor by REST. */
  readonly frameTooLarge: CloseCode;
  /** The server stops, or no longer has the conversation. The code is not 1001, after which clients reconnect without a pause. */
  readonly shutdown: CloseCode;
} = {
  authenticationFailed: { code: 4001, reason: 'Authentication failed', reconnect: 'never' },
  forbidden: { code: 4003, reason: 'The key may not open this socket', reconnect: 'never' },
  notFound: { code: 4004, reason: 'Conversation not found', reconnect: 'never' },
  tooManyConnections: { code: 1013, reason: 'Too many connections for this conversation', reconnect: 'later' },
  credentialBinding: { code: 1013, reason: 'credential_binding_activation_required', reconnect: 'later' },
  slowConsumer: { code: 1013, reason: 'slow_consumer', reconnect: 'later' },
  frameTooLarge: { code: 1013, reason: 'frame_too_large', reconnect: 'later' },
  shutdown: { code: 1012, reason: 'Server is stopping', reconnect: 'later' },
};
