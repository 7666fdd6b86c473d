/**
 * Protocols beside the server's own: their handlers, and the bodies of their answers.
 *
 * @packageDocumentation
 */
export { nodeBody } from './http/frame-answer.ts';
export type {
  CallerConversations,
  ProtocolHandler,
  ProtocolReceiver,
  ProtocolReceivers,
  ReceiverMessage,
  ReceiverPlace,
  ReceiverProgress,
  ServedProtocol,
  WantedConversation,
} from './protocols/served-protocol.ts';
