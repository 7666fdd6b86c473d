import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { request, uuid } from '../../schema/index.ts';
import { conversationParams } from './conversation-params.ts';

const tag = 'Workspace';
const errors = { 404: 'There is no such conversation, or no such file in its workspace.' };

/** Files of a conversation's working directory, for browsers. */
export const workspaceRoutes = {
  getIndex: defineRoute(
    tag,
    'GET /api/conversations/{conversation_id}/workspace',
    'get_conversation_workspace_root',
    'Get index.html of the working directory',
    { scope: 'read', auth: 'workspace', params: conversationParams, answer: { mediaType: '*/*' }, errors },
  ),

  /** Serves a file of the working directory; of a directory its `index.html`. */
  getFile: defineRoute(
    tag,
    'GET /api/conversations/{conversation_id}/workspace/{file_path}',
    'get_conversation_workspace_file',
    'Get a file of the working directory',
    {
      scope: 'read',
      auth: 'workspace',
      params: request({
        conversation_id: uuid,
        /** Path after `/workspace/`, slashes included. */
        file_path: z.string(),
      }),
      answer: { mediaType: '*/*' },
      errors,
    },
  ),
};
