import type { Api } from '../data/api.ts';
import { serverRequests } from '../data/requests.ts';
import type { Attachment } from './attachments.ts';

/** Folder of the workspace that attached files go to. */
const FOLDER = 'uploads';

/** Writes files into the workspace. Resolves with their paths below it; equal names do not overwrite each other. */
export async function uploadFiles(
  api: Api,
  workspace: string,
  files: readonly Attachment[],
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { id, file } of files) {
    const path = `${FOLDER}/${id.slice(0, 4)}-${safeName(file.name)}`;
    await api.call(serverRequests.upload, { query: { path: `${workspace}/${path}` }, file });
    paths.push(path);
  }
  return paths;
}

/** Returns a name without slashes, control characters and leading dots. */
function safeName(name: string): string {
  const safe = name.replace(/[/\\\p{Cc}\p{Cf}]/gu, '_').replace(/^\.+/, '');
  return safe === '' ? 'file' : safe;
}

/** Returns a message that names the files, so that the agent finds them. */
export function withFiles(text: string, paths: readonly string[]): string {
  if (paths.length === 0) return text;
  const list = paths.map((path) => `- ${path}`).join('\n');
  return `${text}\n\nAttached files, in the workspace:\n${list}`.trimStart();
}
