import { z } from 'zod';
import { type ConversationParams, conversationParams } from '../conversations/conversation-params.ts';
import type { Route } from '../route.ts';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { type Page, pageOf } from '../../schema/page.ts';
import { boolean, integer } from '../../schema/scalars.ts';
import { type Success, successSchema } from '../../schema/success.ts';

/** Which file of the server; absolute. */
export interface PathQuery {
  readonly path: string;
}

/** What to pack. */
export interface ArchiveQuery extends PathQuery {
  /** What changed since `base_ref`, or everything. */
  readonly format: 'git-delta' | 'tar.gz';
  readonly base_ref: string | null;
  readonly use_default_excludes: boolean;
  readonly exclude: readonly string[] | null;
}

/** Which folders to list. */
export interface SearchFoldersQuery extends PathQuery {
  /** The name of a folder: the page begins with it. */
  readonly page_id: string | null;
  readonly limit: number;
  readonly include_hidden: boolean;
}

/** A folder. */
export interface Folder {
  readonly name: string;
  readonly path: string;
}

/** A folder under a name for people. */
export interface LabelledFolder {
  readonly label: string;
  readonly path: string;
}

/** Where to begin to look for a folder. */
export interface HomeFolders {
  readonly home: string;
  readonly favorites: readonly LabelledFolder[];
  readonly locations: readonly LabelledFolder[];
}

const tag = 'Files';
const pathQuery: z.ZodType<PathQuery> = request({ path: z.string() });
const notAbsolute = 'The path is not absolute.';

const labelledFolder = z.array(named('FileBrowserEntry', answer({ label: z.string(), path: z.string() }))).default([]);

/** Writes a file; folders that are missing are made. The file is the form field `file`. */
export const uploadFile: Route<{ query: PathQuery }, Success> = {
  method: 'POST',
  path: '/api/file/upload',
  operationId: 'upload_file_query',
  tag,
  summary: 'Write a file',
  auth: 'session',
  query: pathQuery,
  upload: 'file',
  success: 200,
  answer: successSchema,
  errors: { 400: notAbsolute, 403: 'The path is outside of what may be reached.', 413: 'The file is too large.' },
};

/** Reads a file. */
export const downloadFile: Route<{ query: PathQuery }, Uint8Array> = {
  method: 'GET',
  path: '/api/file/download',
  operationId: 'download_file_query',
  tag,
  summary: 'Read a file',
  auth: 'session',
  query: pathQuery,
  success: 200,
  answer: { mediaType: 'application/octet-stream' },
  errors: {
    400: `${notAbsolute} Or it is no file.`,
    403: 'The path is outside of what may be reached.',
    404: 'There is no such file.',
  },
};

/** Makes a folder and those above it; also right when it is there. */
export const createDirectory: Route<{ query: PathQuery }, Success> = {
  method: 'POST',
  path: '/api/file/create_directory',
  operationId: 'create_directory',
  tag,
  summary: 'Make a folder',
  auth: 'session',
  query: pathQuery,
  success: 200,
  answer: successSchema,
  errors: { 400: `${notAbsolute} Or it is a file.`, 403: 'The folder may not be made.' },
};

/** Where to begin to look for a folder. */
export const getHome: Route<{ query: { readonly include_hidden: boolean } }, HomeFolders> = {
  method: 'GET',
  path: '/api/file/home',
  operationId: 'get_home',
  tag,
  summary: 'Get the home folder',
  auth: 'session',
  query: request({ include_hidden: boolean().default(false) }),
  success: 200,
  answer: named('HomeResponse', answer({ home: z.string(), favorites: labelledFolder, locations: labelledFolder })),
};

/** Lists the folders in a folder by pages. */
export const searchFolders: Route<{ query: SearchFoldersQuery }, Page<Folder>> = {
  method: 'GET',
  path: '/api/file/search_subdirs',
  operationId: 'search_subdirs',
  tag,
  summary: 'List folders',
  auth: 'session',
  query: request({
    path: z.string(),
    page_id: orNull(z.string()),
    limit: integer({ above: 0, maximum: 100 }).default(100),
    include_hidden: boolean().default(false),
  }),
  success: 200,
  answer: pageOf('SubdirectoryPage', named('SubdirectoryEntry', answer({ name: z.string(), path: z.string() }))),
  errors: { 400: notAbsolute, 403: 'The folder may not be read.', 404: 'There is no such folder.' },
};

/** Packs a folder, or what changed in it. */
export const archiveFolder: Route<{ query: ArchiveQuery }, Uint8Array> = {
  method: 'GET',
  path: '/api/file/archive',
  operationId: 'download_archive',
  tag,
  summary: 'Pack a folder',
  auth: 'session',
  query: request({
    path: z.string(),
    format: z.enum(['git-delta', 'tar.gz']).default('git-delta'),
    base_ref: orNull(z.string()),
    use_default_excludes: boolean().default(true),
    exclude: orNull(
      z.preprocess((pattern) => (typeof pattern === 'string' ? [pattern] : pattern), z.array(z.string())),
    ),
  }),
  success: 200,
  answer: { mediaType: 'application/octet-stream' },
  errors: { 400: notAbsolute, 404: 'There is no such folder.' },
};

/** Packs a conversation as a folder of OpenHands, secrets left out. */
export const downloadTrajectory: Route<{ params: ConversationParams }, Uint8Array> = {
  method: 'GET',
  path: '/api/file/download-trajectory/{conversation_id}',
  operationId: 'download_trajectory',
  tag,
  summary: 'Pack a conversation',
  auth: 'session',
  params: conversationParams,
  success: 200,
  answer: { mediaType: 'application/zip' },
  errors: { 404: 'There is no such conversation.' },
};
