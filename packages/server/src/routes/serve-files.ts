import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { fileRoutes } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { accessOf, checkStillValid } from '../auth/caller.ts';
import { ApiError } from '../http/api-error.ts';
import { pageFrom } from '../http/page-from.ts';
import { serveRoute } from '../http/serve-route.ts';
import { archiveFolder, DEFAULT_EXCLUDES } from '../workspace/archive.ts';
import { homeFolder, makeFolder, subfolders } from '../workspace/folders.ts';
import { gitPatch } from '../workspace/git-patch.ts';
import type { Reached, WorkspaceHost } from '../workspace/workspace-host.ts';
import { openAllowed } from '../workspace/open-allowed.ts';
import { refusing } from './workspace-refusals.ts';
import { replaceFile } from '../workspace/replace-file.ts';

type FileRoutes = Pick<typeof fileRoutes, 'upload' | 'download' | 'createDirectory' | 'archive'>;

/** Resolves with the folders that a request reaches. */
export type ReachedBy = (request: FastifyRequest) => Promise<Reached>;

interface FilesDeps {
  readonly workspaceHost: WorkspaceHost;
  readonly reached: ReachedBy;
}

/** Serves files of the machine. Needs `@fastify/multipart` to be registered for uploads. */
export function serveFiles(app: FastifyInstance, routes: FileRoutes, { workspaceHost, reached }: FilesDeps): void {
  serveRoute(app, routes.upload, ({ query, request }) =>
    refusing(async () => {
      const { folders } = await reached(request);
      const bytes = await upload(request, await folders.check(query.path), workspaceHost);
      return { success: true, file_size: bytes };
    }),
  );
  serveRoute(app, routes.download, ({ query, reply, request }) =>
    refusing(async () => {
      const { folders } = await reached(request);
      const { handle, size, path } = await openAllowed(folders, query.path, accessOf(request));
      attach(reply, basename(path));
      // a file of size 0 can have content, such as files of `/proc`
      if (size === 0) return handle.createReadStream();
      void reply.header('content-length', size);
      // bytes appended meanwhile would be read as the beginning of the next answer
      return handle.createReadStream({ end: size - 1 });
    }),
  );
  serveRoute(app, routes.createDirectory, ({ query, request }) =>
    refusing(async () => {
      const { folders } = await reached(request);
      const made = await makeFolder(await folders.check(query.path));
      if (!made) throw new ApiError(400, 'Path exists and is not a directory');
      return { success: true };
    }, 'No directory can be made there'),
  );
  serveArchive(app, routes, { workspaceHost, reached });
}

/** Serves folders to choose from. */
export function serveFolders(
  app: FastifyInstance,
  routes: Pick<typeof fileRoutes, 'getHome' | 'searchFolders'>,
  reached: ReachedBy,
): void {
  serveRoute(app, routes.getHome, ({ query }) => homeFolder({ includeHidden: query.include_hidden }));
  serveRoute(app, routes.searchFolders, ({ query, request }) =>
    refusing(async () => {
      const { folders } = await reached(request);
      const found = await subfolders(await folders.check(query.path, accessOf(request)), {
        includeHidden: query.include_hidden,
      });
      return pageFrom(found, query, ({ name }) => name);
    }, 'Directory not found'),
  );
}

function serveArchive(
  app: FastifyInstance,
  routes: FileRoutes,
  { workspaceHost: { environment }, reached }: FilesDeps,
): void {
  serveRoute(app, routes.archive, ({ query, reply, request }) =>
    refusing(async () => {
      const { folders } = await reached(request);
      const path = await folders.checkTree(query.path, accessOf(request));
      if (!(await stat(path)).isDirectory()) throw new ApiError(400, 'Path is not a directory');
      const excludes = [...(query.use_default_excludes ? DEFAULT_EXCLUDES : []), ...(query.exclude ?? [])];
      if (query.format === 'tar.gz') {
        attach(reply, `${basename(path) || 'root'}.tar.gz`);
        return archiveFolder(path, excludes, folders.opened(accessOf(request)));
      }
      const base = query.base_ref === null ? {} : { baseRef: query.base_ref };
      const patch = await gitPatch(path, { ...base, excludes, environment, folders });
      attach(reply, `${basename(path) || 'root'}.patch`);
      return Buffer.from(patch);
    }, 'Directory not found'),
  );
}

/** Writes the file of a form. Resolves with its bytes. */
async function upload(
  request: FastifyRequest,
  path: string,
  { platform, maxUpload: limit }: WorkspaceHost,
): Promise<number> {
  const part = request.isMultipart() ? await request.file({ limits: { fileSize: limit, files: 1 } }) : undefined;
  if (!part || part.fieldname !== 'file') {
    part?.file.resume();
    throw new ApiError(422, [{ type: 'missing', loc: ['body', 'file'], msg: 'Field required', input: null }]);
  }
  const write = async (temporary: Writable): Promise<void> => {
    await pipeline(part.file, temporary);
    await checkStillValid(request);
    if (part.file.truncated) throw new ApiError(413, `A file may have up to ${limit} bytes; send a smaller one`);
  };
  await replaceFile(path, write, platform);
  return part.file.bytesRead;
}

/** Makes a browser save the answer under this name. */
function attach(reply: FastifyReply, name: string): void {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  void reply.header(
    'content-disposition',
    `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
  );
}
