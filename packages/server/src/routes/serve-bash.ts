import { errorText } from '@conv/core';
import {
  type BashEvent,
  type bashRoutes,
  executeBashRequestSchema,
  type Page,
  type SearchBashEventsQuery,
} from '@conv/openhands/rest';
import { bashSocket } from '@conv/openhands/sockets';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { refusalFor } from '../auth/principal.ts';
import { ApiError } from '../http/api-error.ts';
import { pageFrom } from '../http/page-from.ts';
import { issuesText, jsonIn } from '../sockets/client-frames.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { SocketConnection } from '../sockets/socket-connection.ts';
import { handleSocket, type SocketHandler } from '../sockets/socket-handler.ts';
import type { InboundFrame } from '../sockets/inbound-queue.ts';
import { stamp } from '../workspace/bash-log.ts';
import type { BashService } from '../workspace/bash-service.ts';
import type { WorkspaceHost } from '../workspace/workspace-host.ts';
import { refusing } from './workspace-refusals.ts';

/**
 * Serves commands that clients run beside conversations.
 * @param of returns the service of a request
 */
export function serveBash(
  app: FastifyInstance,
  routes: typeof bashRoutes,
  of: (request: FastifyRequest) => BashService,
): void {
  serveRoute(app, routes.execute, ({ body, reply, request }) =>
    refusing(async () => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return of(request).execute(body, gone.signal);
    }),
  );
  serveRoute(app, routes.start, ({ body, request }) => refusing(() => of(request).start(body)));
  serveRoute(app, routes.stop, async ({ params: { command_id: id }, request }) => {
    if (!(await of(request).stop(id))) throw new ApiError(404, 'Not Found');
    return { success: true };
  });
  serveRoute(app, routes.search, ({ query, request }) => search(of(request), query));
  serveRoute(app, routes.getMany, ({ body, request }) => body.map((id) => of(request).get(id) ?? null));
  serveRoute(app, routes.get, ({ params, request }) => {
    const event = of(request).get(params.event_id);
    if (!event) throw new ApiError(404, `Bash event not found: ${params.event_id}`);
    return event;
  });
  serveRoute(app, routes.clear, ({ request }) => ({ cleared_count: of(request).clear() }));
}

/** Returns the socket that shows every command of the server, and can start commands. */
export function bashSocketOf({ platform, bash }: WorkspaceHost): SocketHandler {
  return handleSocket(bashSocket, async (connection, { query }) => {
    const send = (event: BashEvent): void => void connection.send(Buffer.from(JSON.stringify(event)));
    const replayed = query.resend_mode === 'all' || query.resend_all ? bash.find() : [];
    const stop = bash.subscribe(send);
    try {
      for (const event of replayed) {
        if (!connection.send(Buffer.from(JSON.stringify(event)))) return;
        await connection.drained();
      }
      await takeCommands(connection, bash, (refused) => send({ ...stamp(platform), ...refused, kind: 'BashError' }));
    } finally {
      stop();
    }
  });
}

async function takeCommands(
  connection: SocketConnection,
  bash: BashService,
  refuse: (refused: Refused) => void,
): Promise<void> {
  for (;;) {
    const frame = await connection.receive();
    if (!frame) return;
    const request = readFrame(frame);
    if (request === undefined) continue;
    const refused = 'code' in request ? request : (refusedTo(connection) ?? (await startNow(bash, request)));
    if (refused) refuse(refused);
  }
}

type Refused = { readonly code: string; readonly detail: string };
type Request = { readonly command: string; readonly cwd: string | null; readonly timeout: number };

/** Returns the refusal for a client that may not approve, because commands run without approval. */
function refusedTo({ caller }: SocketConnection): Refused | undefined {
  const detail = refusalFor(caller, bashSocket.frameScope);
  return detail === undefined ? undefined : { code: 'Forbidden', detail };
}

async function startNow(bash: BashService, request: Request): Promise<Refused | undefined> {
  try {
    await bash.start(request);
    return undefined;
  } catch (error) {
    return { code: error instanceof Error ? error.name : 'Error', detail: errorText(error) };
  }
}

function readFrame(frame: InboundFrame): Request | Refused | undefined {
  const read = jsonIn(frame, { text: 'ValidationError', json: 'JSONDecodeError' });
  if (!read || 'code' in read) return read;
  const { data, error } = executeBashRequestSchema.safeParse(read.value);
  return data ?? { code: 'ValidationError', detail: issuesText(error.issues) };
}

function search(bash: BashService, query: SearchBashEventsQuery): Page<BashEvent> {
  const found = bash.find({
    ...(query.kind__eq === null ? {} : { kind: query.kind__eq }),
    ...(query.command_id__eq === null ? {} : { commandId: query.command_id__eq }),
    ...(query.timestamp__gte === null ? {} : { from: query.timestamp__gte }),
    ...(query.timestamp__lt === null ? {} : { until: query.timestamp__lt }),
    ...(query.order__gt === null ? {} : { orderAbove: query.order__gt }),
    newestFirst: query.sort_order === 'TIMESTAMP_DESC',
  });
  return pageFrom(found, query, ({ id }) => id);
}
