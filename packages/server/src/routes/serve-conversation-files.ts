import { realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type send from '@fastify/send';
import { workspaceRoutes } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { accessOf, callerOf } from '../auth/caller.ts';
import { has } from '../auth/principal.ts';
import type { ReachableFolders } from '../conversations/reachable-folders.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError } from '../http/api-error.ts';
import { readParams, serveRoute } from '../http/serve-route.ts';
import { withReading } from '../hosting/with-conversation.ts';
import { AllowedFolders } from '../workspace/allowed-folders.ts';
import { openAllowed, type OpenFile } from '../workspace/open-allowed.ts';

/** Serves the files of a conversation's working directory, for pages that show an agent's results. */
export function serveWorkspace(app: FastifyInstance, host: ConversationHost, reach: ReachableFolders): void {
  serveRoute(app, workspaceRoutes.getIndex, ({ params, reply, request }) =>
    sendFile({ host, reach }, { reply, request, id: params.conversation_id, path: '' }),
  );
  const rest = {
    ...workspaceRoutes.getFile,
    path: workspaceRoutes.getFile.path.replace('{file_path}', '{file_path:path}'),
  };
  delete (rest as { params?: unknown }).params;
  serveRoute(app, rest, ({ request, reply }) => {
    const { conversation_id: id = '', '*': path = '' } = request.params as Readonly<Record<string, string>>;
    const params = readParams(workspaceRoutes.getFile, { conversation_id: id, file_path: path });
    return sendFile({ host, reach }, { reply, request, id: params.conversation_id, path: params.file_path });
  });
}

interface WantedFile {
  readonly reply: FastifyReply;
  readonly request: FastifyRequest;
  readonly id: string;
  readonly path: string;
}

interface FilesDeps {
  readonly host: ConversationHost;
  readonly reach: ReachableFolders;
}

async function sendFile({ host, reach }: FilesDeps, { reply, request, id, path }: WantedFile): Promise<Readable> {
  const root = await withReading(host, id, async ({ fields }) => fields.workspace.workingDir);
  const caller = callerOf(request);
  // the caller that starts a conversation chooses its folder, so it opens neither the server's files nor other conversations
  const isAdmin = has(caller, 'admin') && !caller.limits;
  const own = (): readonly string[] => host.options.protect?.().paths ?? [];
  const inside = caller.limits
    ? new AllowedFolders(['/'], own).part([await reach.placeOf(root)])
    : new AllowedFolders([root], own);
  const file = await fileIn(join(root, path), (wanted) =>
    openAllowed(inside, wanted, isAdmin ? accessOf(request) : 'session'),
  );
  if (file === undefined) throw new ApiError(404, 'File not found');
  if (!isAdmin && (await isOfConversation(file.path, host.options.persistenceDir))) {
    await file.handle.close();
    throw new ApiError(404, 'File not found');
  }
  // an agent's page must have none of the rights of this server's pages
  void reply.header('content-security-policy', 'sandbox allow-scripts allow-forms allow-popups');
  void reply.header('x-content-type-options', 'nosniff');
  return answerWith(file, request, reply);
}

/** Answers with an open file, or with the part that the request names. */
async function answerWith(
  { handle, path, place }: OpenFile,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  const { answer, mediaType } = await sendPlace(raw, { path, place }).catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  const { statusCode, headers, stream, type } = answer;
  stream.once('close', () => void handle.close());
  if (type === 'file') void reply.type(mediaType);
  void reply.code(statusCode).headers(headers);
  return stream;
}

/** An answer with a file, or a part of it, and the media type of the file. */
interface Sent {
  readonly answer: Awaited<ReturnType<typeof send>>;
  readonly mediaType: string;
}

async function sendPlace(raw: FastifyRequest['raw'], { path, place }: Pick<OpenFile, 'path' | 'place'>): Promise<Sent> {
  // imported here, because most servers never show a file
  const { default: sender } = await import('@fastify/send');
  const mediaType = sender.mime.getType(path) ?? 'application/octet-stream';
  return {
    answer: await sender(raw, encodeURI(place), { dotfiles: 'allow', cacheControl: false, contentType: false }),
    mediaType: sender.isUtf8MimeType(mediaType) ? `${mediaType}; charset=utf-8` : mediaType,
  };
}

/** The name of a conversation's folder. */
const FOLDER = /^[\da-f]{32}$/i;

/** True for a file in the folder of a conversation, with its log or its side files. */
async function isOfConversation(file: string, persistenceDir: string): Promise<boolean> {
  const folder = await realpath(persistenceDir).catch(() => persistenceDir);
  return FOLDER.test(relative(folder, file).split(sep)[0] ?? '');
}

/** Resolves with the requested file, if `opened` allows it after following links; for a folder with its `index.html`. */
async function fileIn(path: string, opened: (path: string) => Promise<OpenFile>): Promise<OpenFile | undefined> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    return await opened(isFolder ? join(path, 'index.html') : path);
  } catch {
    return undefined;
  }
}
