import { leftOutRoutes, type Route, type RouteTypes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';

const { extensions, subscriptions } = leftOutRoutes;

type BackendStatus = RouteTypes<typeof extensions.getBackend>['answer'];

/**
 * Serves the routes of features that this server leaves out, as OpenHands' server answers while they are not used: no extension is installed, and
 * there is no login.
 */
export function serveLeftOut(app: FastifyInstance): void {
  serveExtensions(app);
  const loggedOut = { vendor: 'openai', connected: false, account_email: null, expires_at: null };
  serveRoute(app, subscriptions.listModels, () => ({ vendor: 'openai', models: [] }));
  serveRoute(app, subscriptions.getStatus, () => loggedOut);
  serveRoute(app, subscriptions.logOut, () => loggedOut);
  serveRoute(app, subscriptions.startLogin, () => {
    throw new ApiError(503, 'This server has no logins to subscriptions; give the model an API key');
  });
  serveRoute(app, subscriptions.pollLogin, () => {
    throw new ApiError(404, 'Subscription device login not found or expired');
  });
}

function serveExtensions(app: FastifyInstance): void {
  const missing = (name: string, what = 'is not installed'): ApiError =>
    new ApiError(404, `Canvas extension '${name}' ${what}`);
  const { list, get, update, remove, getBundle, getIcon, install } = extensions;
  serveRoute(app, list, () => ({ canvas_extensions: [] }));
  for (const route of [get, update, remove] as readonly Route[])
    serveRoute(app, route, ({ params }) => {
      throw missing(nameIn(params));
    });
  serveRoute(app, getBundle, ({ params: { extension_name: name } }) => {
    throw missing(name, 'bundle not found');
  });
  serveRoute(app, getIcon, ({ params: { extension_name: name } }) => {
    throw missing(name, 'icon not found');
  });
  serveRoute(app, install, () => {
    throw new ApiError(
      400,
      'Could not read canvas extension source: this server installs no extensions of Agent Canvas, because their code runs in browsers',
    );
  });
  serveBackends(app);
}

/** Serves the programs behind extensions. */
function serveBackends(app: FastifyInstance): void {
  const { getBackend, prepareBackend, startBackend, stopBackend, removeBackendData } = extensions;
  for (const route of [getBackend, prepareBackend, startBackend, stopBackend, removeBackendData] as readonly Route[])
    serveRoute(app, route, ({ params }) => noBackend(nameIn(params)));
  serveRoute(app, extensions.getBackendLogs, ({ params: { extension_name: name } }) => ({
    name,
    logs: '',
    truncated: false,
  }));
  for (const route of [extensions.openSession, extensions.closeSession] as readonly Route[])
    serveRoute(app, route, () => {
      throw new ApiError(503, 'Canvas App backend ingress is not configured');
    });
}

/** Returns the name of the extension that a path has, which the schema of the route has checked. */
function nameIn(params: unknown): string {
  return (params as { readonly extension_name: string }).extension_name;
}

function noBackend(name: string): BackendStatus {
  return {
    name,
    state: 'missing',
    revision: null,
    prepared_revision: null,
    pid: null,
    port: null,
    detail: 'Canvas App is not installed or its manifest is invalid',
  };
}
