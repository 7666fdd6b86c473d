import { z } from 'zod';
import type { Route } from '../route.ts';
import { request } from '../../schema/objects.ts';
import { uuid } from '../../schema/uuid.ts';
import { type ConversationParams, conversationParams } from './conversation-params.ts';

/** A file in a conversation's workspace. */
export interface WorkspaceFileParams extends ConversationParams {
  /** What follows `/workspace/`, slashes included. */
  readonly file_path: string;
}

const tag = 'Workspace';
const errors = { 404: 'There is no such conversation, or no such file in its workspace.' };

/** Serves `index.html` of the working directory. */
export const getWorkspaceIndex: Route<{ params: ConversationParams }, Uint8Array> = {
  method: 'GET',
  path: '/api/conversations/{conversation_id}/workspace',
  operationId: 'get_conversation_workspace_root',
  tag,
  summary: 'Get index.html of the working directory',
  auth: 'workspace',
  params: conversationParams,
  success: 200,
  answer: { mediaType: '*/*' },
  errors,
};

/** Serves a file of the working directory; of a directory its `index.html`. */
export const getWorkspaceFile: Route<{ params: WorkspaceFileParams }, Uint8Array> = {
  method: 'GET',
  path: '/api/conversations/{conversation_id}/workspace/{file_path}',
  operationId: 'get_conversation_workspace_file',
  tag,
  summary: 'Get a file of the working directory',
  auth: 'workspace',
  params: request({ conversation_id: uuid, file_path: z.string() }),
  success: 200,
  answer: { mediaType: '*/*' },
  errors,
};
