import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '@conv/core';
import { readPart, runtimeRoutes } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { callerOf } from '../auth/caller.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { LOCAL, runtimeIn } from '../hosting/runtimes.ts';
import { ApiError } from '../http/api-error.ts';
import { isInside, realPath } from '../workspace/allowed-folders.ts';
import type { BashService } from '../workspace/bash-service.ts';
import { Git } from '../workspace/git.ts';
import type { WorkspaceHost } from '../workspace/workspace-host.ts';
import { serveBash } from './serve-bash.ts';
import { serveNoEditor } from './serve-catalog.ts';
import { serveTrajectory } from './serve-conversations.ts';
import { type ReachedBy, serveFiles } from './serve-files.ts';
import { serveGit } from './serve-git.ts';

/** The parameters of every route, which name the conversation. */
const { params: BOUND } = runtimeRoutes.bash.search;

/** The conversation of a request, as far as these routes need it. */
interface Bound {
  readonly id: string;
  readonly folder: string;
  /** True if its tools act in this process. */
  readonly isLocal: boolean;
}

/**
 * Serves the workspaces of conversations: commands, files and git as without a conversation, in the folder of the conversation. Answers 404 for an
 * unknown conversation, 422 for a path outside of its folder, and 409 for commands of a conversation that has an executor: they would run beside it.
 */
export async function serveConversationRuntimes(
  app: FastifyInstance,
  workspaceHost: WorkspaceHost,
  host: ConversationHost,
): Promise<void> {
  const bound = new WeakMap<FastifyRequest, Bound>();
  const boundTo = (request: FastifyRequest): Bound => {
    const found = bound.get(request);
    if (!found) throw new ApiError(404, 'Conversation not found');
    return found;
  };
  const reached: ReachedBy = async (request) => {
    const all = await workspaceHost.reachedBy(callerOf(request));
    const folders = all.folders.part([await realPath(boundTo(request).folder)]);
    return { folders, git: new Git({ environment: workspaceHost.environment, folders }) };
  };
  const bashOf = (request: FastifyRequest): BashService => {
    const { id, folder, isLocal } = boundTo(request);
    if (isLocal) return workspaceHost.bashOf(id, folder);
    throw new ApiError(
      409,
      'The tools of this conversation act in an executor: commands of clients do not run in it, so let its agent run them',
    );
  };
  host.onDeleted((id) => workspaceHost.forget(id));
  await app.register(async (scope) => {
    scope.addHook('preHandler', async (request) => void bound.set(request, await bind(host, request)));
    serveBash(scope, runtimeRoutes.bash, bashOf);
    serveFiles(scope, runtimeRoutes.files, { workspaceHost, reached });
    serveGit(scope, runtimeRoutes.git, reached);
    serveNoEditor(scope, runtimeRoutes.editor);
    serveTrajectory(scope, host, runtimeRoutes.files);
  });
}

/** Resolves with the conversation that a request names. Rejects {@link ApiError} 404, and 422 for a path outside of its folder. */
async function bind(host: ConversationHost, request: FastifyRequest): Promise<Bound> {
  const params = request.params as Readonly<Record<string, string>>;
  const read = BOUND && readPart(BOUND, params, 'path');
  if (read?.ok === false) throw new ApiError(422, read.error.detail as unknown as readonly JsonObject[]);
  const { runtime_conversation_id: id = '' } = (read?.value ?? {}) as { readonly runtime_conversation_id?: string };
  await using reading = await host.readPast(id);
  if (!reading) throw new ApiError(404, `Conversation not found: ${id}`);
  const { workspace, extra } = reading.fields;
  const folder = resolve(workspace.workingDir);
  const { path } = request.query as { readonly path?: unknown };
  if (typeof path === 'string' && !(isAbsolute(path) && isInside(await realPath(path), await realPath(folder))))
    throw new ApiError(422, 'path must be inside the conversation workspace');
  const { conversation_id: trajectory = id } = params;
  if (trajectory.replaceAll('-', '').toLowerCase() !== id.replaceAll('-', ''))
    throw new ApiError(422, 'Trajectory must belong to the selected conversation');
  return { id, folder, isLocal: runtimeIn(extra.meta).name === LOCAL };
}
