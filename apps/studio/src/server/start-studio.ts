import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

import { serveStudio } from '@conv/server';
import { guardAccess } from '@conv/server/access';
import { fastify, type FastifyInstance } from 'fastify';

import { studioFolder } from '../studio-folder.ts';
import { kindOf, type Place, placeOf, shownPlace, StudioError } from './place.ts';
import { proxyServer } from './server-proxy.ts';
import { serverKey } from './server-key.ts';
import { serveStore } from './serve-store.ts';
import { checkStudioOptions, type StudioOptions } from './studio-options.ts';
import { studioVersion } from './studio-version.ts';

/** Studio, taking requests. */
export interface RunningStudio {
  /** The address of the page, such as `http://127.0.0.1:4780/studio/`. */
  readonly url: string;
  /** The address of the store or server, without a password. */
  readonly place: string;
  /** A sentence about what confines commands; `undefined` where no agents run in studio. */
  readonly notice: string | undefined;
  /** Returns a link that opens a session in one browser, once, within ten minutes. */
  readonly startLink: () => string;
  /** Ends all connections, leaves runs to the next start, closes the store. Idempotent. */
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';

/** The port of studio, unless another is given. */
const DEFAULT_PORT = 4780;

/**
 * Starts studio on this machine, in front of a store or a server. Its page talks only to this server, which checks the session, the
 * origin and the host name of every request, and which alone knows the keys. Rejects {@link StudioError} with a remedy for wrong
 * options.
 *
 * @example
 * ```ts
 * import { startStudio } from '@conv/studio';
 *
 * const studio = await startStudio({ place: 'fs:/tmp/conversations', port: 0 });
 * process.stdout.write(`${studio.startLink()}\n`);
 * await studio.close();
 * ```
 */
export async function startStudio(options: StudioOptions = {}): Promise<RunningStudio> {
  checkStudioOptions(options);
  const { environment = process.env, port = DEFAULT_PORT, folder = studioFolder() } = options;
  const place = placeOf(options.place, environment);
  const report = options.report ?? warn;
  // what a server still sends is cut off; an agent server of studio's own ends its requests itself
  const forceCloseConnections = place.kind === 'server' ? true : 'idle';
  const app = fastify({ return503OnClosing: false, pluginTimeout: 0, requestTimeout: 0, forceCloseConnections });
  const key = options.sessionKey ?? randomBytes(32).toString('base64url');
  serveStudio(app, folder);
  let behind: Behind | undefined;
  const end = async (): Promise<void> => {
    await app.close();
    await behind?.close();
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end());
  try {
    behind = await serveBehind(app, place, { ...options, environment, report, key });
    await listen(app, port);
  } catch (error) {
    await close();
    throw error;
  }
  const { issueTicket, notice } = behind;
  const url = `http://${HOST}:${(app.server.address() as AddressInfo).port}/studio/`;
  return { url, place: shownPlace(place), notice, startLink: () => `${url}#ticket=${issueTicket(key)}`, close };
}

/** The server behind the page. */
interface Behind {
  readonly issueTicket: (key: string) => string;
  readonly notice: string | undefined;
  readonly close: () => Promise<void>;
}

type BehindOptions = StudioOptions & Required<Pick<StudioOptions, 'environment' | 'report'>> & { readonly key: string };

/** Serves a store, or what a server answers, and tells the page what it is. */
async function serveBehind(app: FastifyInstance, place: Place, options: BehindOptions): Promise<Behind> {
  const { environment, report, key, readOnly, sandbox, sandboxRead, sandboxHosts } = options;
  const told = { place: shownPlace(place), kind: kindOf(place), version: studioVersion() };
  const tell = (scope: FastifyInstance, model: string | null): void =>
    void scope.get('/studio/place.json', async () => ({ ...told, model }));
  const confining = Object.entries({ sandbox, sandboxRead, sandboxHosts }).find(
    ([, given]) => given !== undefined,
  )?.[0];
  if (place.kind === 'store') {
    if (readOnly !== undefined && confining !== undefined && sandbox !== 'off')
      throw new StudioError(
        `${confining}: expected an agent to confine, found readOnly, with which none works; leave one out`,
      );
    const server = await serveStore(place, { environment, key, readOnly, sandbox, sandboxRead, sandboxHosts, report });
    await app.register(async (scope) => {
      await server.plugin(scope, {});
      tell(scope, server.model ?? null);
      scope.get<{ Params: { id: string } }>('/studio/owners/:id', async ({ params }) => ({
        owner: await server.otherOwner(params.id),
      }));
    });
    return { issueTicket: server.plugin.issueTicket, notice: server.notice, close: () => server.close() };
  }
  if (readOnly !== undefined)
    throw new StudioError('readOnly: expected a store, found a server, which decides for itself; leave readOnly out');
  if (confining !== undefined)
    throw new StudioError(
      `${confining}: expected a store, found a server, which decides for itself; leave ${confining} out`,
    );
  const ofServer = await serverKey(options.serverKey ?? {}, environment);
  const guard = guardAccess(app, {
    sessionKeys: [key],
    cors: { checkHost: true },
    report: (error, { errorId }) => report(error, { doing: 'answering', errorId }),
  });
  tell(app, null);
  await app.register(async (scope) =>
    proxyServer(scope, { url: place.url, key: ofServer, admits: guard.admits, report }),
  );
  return { issueTicket: guard.issueTicket, notice: undefined, close: async () => {} };
}

async function listen(app: FastifyInstance, port: number): Promise<void> {
  try {
    await app.listen({ host: HOST, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StudioError(
        `port ${port}: another program listens there, maybe studio; use its page, or choose another port with --port, 0 for any free port`,
        { cause },
      );
    if (code === 'EACCES')
      throw new StudioError(`port ${port}: this user may not listen there; choose a port from 1024 on with --port`, {
        cause,
      });
    throw cause;
  }
}

function warn(error: unknown, about: object): void {
  process.emitWarning(error instanceof Error ? error.message : JSON.stringify(error), {
    type: 'StudioWarning',
    detail: JSON.stringify(about),
  });
}
