import type { JsonObject } from '@conv/core';

import type { ServedProtocol } from '../../src/protocols/served-protocol.ts';

/**
 * A small protocol with receivers: `POST /tells/CONVERSATION/ID` stores the JSON of its body as a receiver, two at most, `GET` lists, and `DELETE`
 * removes. A receiver `{ url, token }` is told the kind of each event, and is not needed any more when the run has ended.
 */
export function telling(): ServedProtocol {
  return {
    name: 'tells',
    paths: ['/tells/*'],
    handler:
      ({ receivers }) =>
      async (request) => {
        const [, , conversation = '', id = ''] = new URL(request.url).pathname.split('/');
        const place = { conversation, event: 'all' };
        if (!receivers) return new Response('no receivers', { status: 409 });
        if (request.method === 'GET') return Response.json(await receivers.list(place));
        if (request.method === 'DELETE') await receivers.delete(place, id);
        else {
          const value = (await request.json()) as JsonObject;
          if (!(await receivers.set(place, { id, value }, { most: 2, request })))
            return new Response('too many', { status: 429 });
        }
        return new Response('done');
      },
    nextMessage: async ({ events, state }, _event, { value, progress }) => {
      const { event } = progress;
      const told = await events.at(event);
      if (!told) return state.executionStatus === 'finished' ? 'over' : undefined;
      const headers = { authorization: value['token'] as string };
      const body = `${event} ${told.kind}`;
      return { url: value['url'] as string, headers, contentType: 'text/plain', body, event: event + 1, state: 'on' };
    },
  };
}
