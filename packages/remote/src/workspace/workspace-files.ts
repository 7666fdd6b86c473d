import { fileRoutes, gitRoutes, type GitChange, type GitDiff } from '@conv/openhands/rest';

import { callRoute, toServerCall } from '../transport/call-route.ts';
import type { ServerClient } from '../transport/server-client.ts';

/** Writes a file. */
export async function upload(
  client: ServerClient,
  path: string,
  content: Uint8Array | string,
  signal?: AbortSignal,
): Promise<void> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  const form = { name: path.split('/').at(-1) || 'file', bytes };
  // the same bytes at the same place: it may be done twice
  await client.send(toServerCall(fileRoutes.upload, { query: { path } }, { form, repeatable: true, signal }));
}

/** Reads a file. */
export async function download(client: ServerClient, path: string, signal?: AbortSignal): Promise<Uint8Array> {
  return (await client.send(toServerCall(fileRoutes.download, { query: { path } }, { signal }))).body;
}

/** Lists the files that differ in a folder. */
export async function gitChanges(client: ServerClient, path: string, ref?: string): Promise<readonly GitChange[]> {
  return callRoute(client, gitRoutes.listChanges, { query: { path, ref } });
}

/** Returns a file as it is and as it was. */
export async function gitDiff(
  client: ServerClient,
  path: string,
  { ref, commit }: { readonly ref?: string; readonly commit?: string },
): Promise<GitDiff> {
  const { modified = null, original = null } = await callRoute(client, gitRoutes.getDiff, {
    query: { path, ref, commit },
  });
  return { modified, original };
}
