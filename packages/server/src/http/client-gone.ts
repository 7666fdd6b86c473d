import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the client disconnects before it has an answer. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const look = (): void => {
    if (!raw.writableFinished) controller.abort(new DOMException('the client has gone', 'AbortError'));
  };
  if (raw.destroyed) look();
  else raw.once('close', look);
  return controller.signal;
}
