/**
 * The sockets of an agent server: routes, frames and close codes.
 *
 * @packageDocumentation
 */
export {
  AUTH_FRAME_TIMEOUT,
  type AuthFrame,
  authFrameSchema,
  type ConversationClientFrame,
  FRAME_ERROR_CODES,
  type MessageFrame,
  messageFrameSchema,
} from './client-frames.ts';
export { CLOSE_CODES, type CloseCode } from './close-codes.ts';
export type { SessionFrame } from './session-frames.ts';
export { bashSocket, eventsSocket, type EventsSocketQuery, sessionSocket } from './socket-routes.ts';
export type { SocketRoute } from './socket.ts';
export { sockets } from './sockets.ts';
