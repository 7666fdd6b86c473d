import type { IncomingMessage } from 'node:http';
import { timers, type Platform } from '@conv/core/platform';
import type { FastifyInstance } from 'fastify';

/** Milliseconds between checks, and the bytes that a body has to bring in that time: a hundredth of the slowest line. */
const INTERVAL = 15_000;
const LEAST_BYTES = 16 * 1024;

interface Arriving {
  readonly request: IncomingMessage;
  /** Bytes of its connection at the last check. */
  bytes: number;
}

/**
 * Ends connections whose request body stalls: a body that brought less than 16 KiB between two checks and is not complete. A body
 * is left alone while this server itself does not read it.
 */
export function endSlowBodies(app: FastifyInstance, platform: Platform): void {
  const arriving = new Set<Arriving>();
  const look = (): void => {
    for (const one of arriving) {
      const { request } = one;
      const bytes = request.socket.bytesRead;
      const isSlow = !request.complete && !isHeldUp(request) && bytes - one.bytes < LEAST_BYTES;
      one.bytes = bytes;
      if (isSlow) request.socket.destroy();
    }
  };
  const timer = timers.every(platform, INTERVAL, look, { background: true });
  app.addHook('onRequest', async ({ raw: request }, reply) => {
    if (request.complete) return;
    // the head counts towards the bytes, because the first check may come at any time
    const one: Arriving = { request, bytes: request.socket.bytesRead - LEAST_BYTES };
    arriving.add(one);
    const forget = (): void => void arriving.delete(one);
    request.once('close', forget);
    reply.raw.once('close', forget);
  });
  app.addHook('onClose', async () => timer.cancel());
}

/** True if the received data waits to be read. */
function isHeldUp({ readableLength, readableHighWaterMark }: IncomingMessage): boolean {
  return readableLength >= readableHighWaterMark;
}
