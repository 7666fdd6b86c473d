import { openApiDocument, type OpenApiDocument } from '@conv/openhands';
import type { Route } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { escaped } from '../http/escaped.ts';

/** Serves a description of the routes: as an OpenAPI document, and as a page for people. Called before the routes are served. */
export function serveDocuments(app: FastifyInstance, version: string): void {
  const served = new Map<string, Route>();
  app.addHook('onRoute', ({ config }) => {
    // a route that is served at a second path too is described once
    if (config?.route && !served.has(config.route.operationId)) served.set(config.route.operationId, config.route);
  });
  let made: OpenApiDocument | undefined;
  const document = (): OpenApiDocument =>
    (made ??= openApiDocument({ title: 'OpenHands Agent Server', version }, [...served.values()]));
  const open = { config: { auth: 'none' } } as const;
  app.get('/openapi.json', open, async () => document());
  for (const path of ['/docs', '/redoc'])
    app.get(path, open, async (_request, reply) => reply.type('text/html; charset=utf-8').send(toPage(document())));
}

/** Returns a page with one line for each operation. It loads nothing from elsewhere. */
function toPage({ info, paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, { summary, tags }]) =>
        `<tr><td>${escaped(tags.join(', '))}<td><code>${method.toUpperCase()} ${escaped(path)}</code><td>${escaped(summary)}`,
    ),
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(info.title)}</title>
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:70rem;padding:0 1rem}td{padding:.2rem 1rem .2rem 0;vertical-align:top}</style>
<h1>${escaped(info.title)}</h1><p>Schemas and parameters: <a href="openapi.json">openapi.json</a></p>
<table>${rows.join('\n')}</table></html>`;
}
