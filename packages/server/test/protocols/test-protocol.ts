import { isConversationError } from '@conv/core';

import type { CallerConversations, ServedProtocol } from '../../src/protocols/served-protocol.ts';

/**
 * A small protocol: `GET /talk/ID` answers with the events of a conversation, `POST /talk/ID` sends the body to it, `POST /talk` begins one with the
 * wishes in the body, `GET /talk/ID/stream` follows it, `GET /talk-list` lists. `/talk-card` is open.
 */
export function talk(made: { count: number } = { count: 0 }): ServedProtocol {
  return {
    name: 'talk',
    paths: ['/talk', '/talk/*', '/talk-list'],
    openPaths: ['/talk-card'],
    handler: (conversations) => {
      made.count++;
      return (request) => answer(conversations, request).catch(refusal);
    },
  };
}

async function answer({ open, create, list, models }: CallerConversations, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === '/talk-list') return Response.json(await list(searchParams.get('cursor') ?? undefined, request));
  // as an adapter may hand it on
  const copy = new Request(request.url, { headers: request.headers });
  const [, , id = '', stream] = pathname.split('/');
  if (pathname === '/talk-card') return Response.json(await open(searchParams.get('id') ?? '', request));
  const body = request.method === 'POST' ? await request.text() : '';
  if (id === '') {
    const { id: made, state } = await create(JSON.parse(body === '' ? '{}' : body) as object, copy);
    const { agent, workspace, confirmationPolicy, maxIterations, clientTools } = state;
    return Response.json({
      id: made,
      agent,
      workspace,
      confirmationPolicy,
      maxIterations,
      clientTools,
      models: await models(),
    });
  }
  const conversation = await open(id, request);
  if (body !== '') await conversation.sendMessage(body);
  if (stream === undefined) return Response.json((await conversation.events.slice()).map(({ id: each }) => each));
  const frames = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string): void => controller.enqueue(new TextEncoder().encode(`${text}\n`));
      send('begun');
      const subscription = conversation.subscribe({ onEvent: (event) => send(event.id) });
      request.signal.addEventListener('abort', () => {
        subscription.unsubscribe();
        controller.close();
      });
    },
  });
  return new Response(frames);
}

const STATUSES: Readonly<Record<string, number>> = { NOT_FOUND: 404, DENIED: 403, INVALID_INPUT: 400 };

function refusal(error: unknown): Response {
  if (error instanceof SyntaxError) return new Response('not json', { status: 418 });
  if (!isConversationError(error)) throw error;
  return new Response(`${error.code}: ${error.text}`, { status: STATUSES[error.code] ?? 409 });
}
