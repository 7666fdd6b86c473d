import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the answer has ended or its client has gone. */
export function answerClosed({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort();
  else raw.once('close', () => closed.abort());
  return closed.signal;
}
