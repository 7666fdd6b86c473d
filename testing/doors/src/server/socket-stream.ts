import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { WebSocket } from 'ws';

/** Returns the stream of an editor's messages over a socket; a message is a frame. */
export function socketStream(socket: WebSocket): Stream {
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => {
      socket.on('message', (data) => controller.enqueue(JSON.parse((data as Buffer).toString()) as AnyMessage));
      socket.once('close', () => controller.close());
      socket.on('error', () => socket.terminate());
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.terminate(),
    abort: () => socket.terminate(),
  });
  return { readable, writable };
}
