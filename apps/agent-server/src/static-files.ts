import { realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Paths of the protocol, where a missing route is a 404 and not a page. */
const PROTOCOL = /^\/(?:api|sockets|v1)(?:\/|$)/;

/**
 * Serves the files of a folder where the server has no route of its own, and at `/`. They need no key, because a page has to load
 * before a user can enter a key. A missing page is answered with `index.html`, which finds out what to show. Links are followed
 * within the folder alone.
 */
export async function serveStaticFiles(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(fastifyStatic, { root: folder, serve: false });
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    if (path === undefined) return;
    const file = await fileAt(folder, path, request.headers.accept?.includes('text/html') === true);
    if (file === undefined) return;
    void reply.headers({ 'x-content-type-options': 'nosniff', 'content-security-policy': "frame-ancestors 'self'" });
    return reply.sendFile(file, folder, { dotfiles: 'ignore' });
  });
}

/** The path of a request that a file may answer. */
function pathOf({ method, url, is404 }: FastifyRequest): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const [before = '', query = ''] = url.split(/\?(.*)/s);
  // the link with a ticket leads to the server itself, which leads back without it
  if (before === '/' && new URLSearchParams(query).has('ticket')) return undefined;
  const path = decoded(before);
  return path === '/' || (is404 && path !== undefined && !PROTOCOL.test(path)) ? path : undefined;
}

async function fileAt(folder: string, path: string, wantsPage: boolean): Promise<string | undefined> {
  const candidates = [path.endsWith('/') ? `${path}index.html` : path, ...(wantsPage ? ['/index.html'] : [])];
  for (const candidate of candidates) {
    const full = join(folder, candidate);
    const file = relative(folder, full);
    if (file.startsWith('..') || file.split('/').some((part) => part.startsWith('.'))) continue;
    if ((await stat(full).catch(() => undefined))?.isFile() && (await liesIn(folder, full))) return file;
  }
  return undefined;
}

/**
 * Returns false for a link that leads out of the folder. Otherwise a user who may write there could publish every file of the
 * server's user.
 */
async function liesIn(folder: string, file: string): Promise<boolean> {
  const way = relative(await realpath(folder), await realpath(file));
  return !way.split('/').some((part) => part.startsWith('.'));
}

function decoded(path: string): string | undefined {
  try {
    const text = decodeURIComponent(path);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
