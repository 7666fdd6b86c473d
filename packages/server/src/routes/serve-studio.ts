import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { StudioFiles } from '../http/studio-files.ts';

/** The path of the page. Its build has the same base. */
const PATH = '/studio/';

/** Allows files of the page's own origin alone. Nothing of the page is inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  vary: 'Accept-Encoding',
};

/** Files below this folder have a hash of their content in their names. */
const ASSETS = 'assets/';

/**
 * Serves the page of studio at `/studio/`, from the folder that `studioFolder()` of `@conv/studio` names. The files need no key,
 * because they hold no data: the page asks for a session and loads everything through it. A path that is no file is the page's own
 * and gets `index.html`. Register it on the instance that the server is registered on, not below the server.
 *
 * @param folder - The absolute path of the built page.
 */
export function serveStudio(app: FastifyInstance, folder: string): void {
  const files = new StudioFiles(folder);
  app.get('/studio', { config: { auth: 'none' } }, async (_request, reply) => reply.redirect(PATH, 308));
  app.get<{ Params: { '*': string } }>(`${PATH}*`, { config: { auth: 'none' } }, async (request, reply) => {
    void reply.headers(HEADERS);
    try {
      return await sendFile(request, reply, files);
    } catch (error) {
      // a file that cannot be read now must not look as if it were gone, and the words of the system name folders
      request.log.warn({ err: error }, 'a file of studio cannot be read');
      return reply
        .code(503)
        .header('retry-after', 1)
        .send({ detail: 'A file of studio cannot be read now. Try again.' });
    }
  });
}

async function sendFile(
  { params, headers }: FastifyRequest<{ Params: { '*': string } }>,
  reply: FastifyReply,
  files: StudioFiles,
): Promise<FastifyReply> {
  const name = params['*'];
  const accepted = [headers['accept-encoding']].flat().join();
  const asked = await files.get(name, accepted);
  // an asset of an older build: the page must not be taken for a script
  if (!asked && name.startsWith(ASSETS)) return reply.code(404).send({ detail: 'Not Found' });
  const file = asked ?? (await files.get('index.html', accepted));
  if (!file)
    return reply.code(503).send({ detail: `The folder of studio has no index.html; build @conv/studio again` });
  const isHashed = asked !== undefined && name.startsWith(ASSETS);
  void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache').type(file.type);
  if (file.encoding !== undefined) void reply.header('content-encoding', file.encoding);
  return reply.send(file.bytes);
}
