import { z } from 'zod';
import { conversationParams } from '../conversations/conversation-params.ts';
import { defineRoute } from '../define-route.ts';
import { boolean, integer, keptAs, orNull, pageOf, request, successSchema } from '../../schema/index.ts';

const folderSchema = keptAs('SubdirectoryEntry', { name: z.string(), path: z.string() });

/** A folder. */
export type Folder = z.output<typeof folderSchema>;

const labelledFolderSchema = keptAs('FileBrowserEntry', { label: z.string(), path: z.string() });

const labelledFolders = z.array(labelledFolderSchema).default([]);
const homeSchema = keptAs('HomeResponse', {
  home: z.string(),
  favorites: labelledFolders,
  locations: labelledFolders,
});

/** Where to begin to look for a folder. */
export type HomeFolders = z.output<typeof homeSchema>;

/** `file_size`: the bytes that were written. Of OpenHands' 1.56, so that earlier servers do not say it. */
const uploadedSchema = keptAs('FileUploadResult', {
  success: boolean().default(true),
  file_size: z.exactOptional(integer({ minimum: 0 })),
});

const tag = 'Files';
/** The absolute path of a file on the server. */
const pathQuery = request({ path: z.string() });
const notAbsolute = 'The path is not absolute.';

/** Routes of the server's files. */
export const fileRoutes = {
  /** Writes a file; folders that are missing are made. The file is the form field `file`. */
  upload: defineRoute(tag, 'POST /api/file/upload', 'upload_file_query', 'Write a file', {
    scope: ['admin', 'approve'],
    query: pathQuery,
    upload: 'file',
    answer: uploadedSchema,
    errors: { 400: notAbsolute, 403: 'The path is outside of the accessible folders.', 413: 'The file is too large.' },
  }),

  download: defineRoute(tag, 'GET /api/file/download', 'download_file_query', 'Read a file', {
    scope: 'admin',
    query: pathQuery,
    answer: { mediaType: 'application/octet-stream' },
    errors: {
      400: `${notAbsolute} Or it is not a file.`,
      403: 'The path is outside of the accessible folders.',
      404: 'There is no such file.',
    },
  }),

  /** Makes a folder and its parent folders; succeeds also if the folder exists. */
  createDirectory: defineRoute(tag, 'POST /api/file/create_directory', 'create_directory', 'Make a folder', {
    scope: ['admin', 'approve'],
    query: pathQuery,
    answer: successSchema,
    errors: { 400: `${notAbsolute} Or it is a file.`, 403: 'The folder may not be made.' },
  }),

  getHome: defineRoute(tag, 'GET /api/file/home', 'get_home', 'Get the home folder', {
    scope: 'admin',
    allConversations: true,
    query: request({ include_hidden: boolean().default(false) }),
    answer: homeSchema,
  }),

  searchFolders: defineRoute(tag, 'GET /api/file/search_subdirs', 'search_subdirs', 'List folders', {
    scope: 'admin',
    query: request({
      path: z.string(),
      /** The name of a folder: the page begins with it. */
      page_id: orNull(z.string()),
      limit: integer({ above: 0, maximum: 100 }).default(100),
      include_hidden: boolean().default(false),
    }),
    answer: pageOf('SubdirectoryPage', folderSchema),
    errors: { 400: notAbsolute, 403: 'The folder may not be read.', 404: 'There is no such folder.' },
  }),

  /** Packs a folder, or what changed in it. */
  archive: defineRoute(tag, 'GET /api/file/archive', 'download_archive', 'Pack a folder', {
    scope: 'admin',
    query: request({
      path: z.string(),
      /** `git-delta`: the changes since `base_ref`; `tar.gz`: every file. */
      format: z.enum(['git-delta', 'tar.gz']).default('git-delta'),
      base_ref: orNull(z.string()),
      use_default_excludes: boolean().default(true),
      exclude: orNull(
        z.preprocess((pattern) => (typeof pattern === 'string' ? [pattern] : pattern), z.array(z.string())),
      ),
    }),
    answer: { mediaType: 'application/octet-stream' },
    errors: { 400: notAbsolute, 404: 'There is no such folder.' },
  }),

  /** Packs a conversation as a folder of OpenHands, secrets left out. */
  downloadTrajectory: defineRoute(
    tag,
    'GET /api/file/download-trajectory/{conversation_id}',
    'download_trajectory',
    'Pack a conversation',
    {
      scope: 'read',
      params: conversationParams,
      answer: { mediaType: 'application/zip' },
      errors: { 404: 'There is no such conversation.' },
    },
  ),
};
