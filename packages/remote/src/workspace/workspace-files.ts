import { ConversationError } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { FormData } from 'undici';

import type { ServerClient } from '../transport/server-client.ts';

/** A file that differs. */
export interface GitChange {
  /** `ADDED`, `UPDATED`, `DELETED` or `MOVED`. */
  readonly status: string;
  readonly path: string;
}

/** A file as it is and as it was; `null` where it is not. */
export interface GitDiff {
  readonly modified: string | null;
  readonly original: string | null;
}

/** Writes a file. */
export async function upload(
  client: ServerClient,
  path: string,
  content: Uint8Array | string,
  signal?: AbortSignal,
): Promise<void> {
  const form = new FormData();
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  form.set('file', new Blob([bytes]), path.split('/').at(-1) || 'file');
  // the same bytes at the same place: it may be done twice
  await client.send({ method: 'POST', path: '/api/file/upload', query: { path }, form, repeatable: true, signal });
}

/** Reads a file. */
export async function download(client: ServerClient, path: string, signal?: AbortSignal): Promise<Uint8Array> {
  return (await client.send({ method: 'GET', path: '/api/file/download', query: { path }, signal })).body;
}

/** What differs in a folder. */
export async function gitChanges(client: ServerClient, path: string, ref?: string): Promise<readonly GitChange[]> {
  const changes = await client.json({ method: 'GET', path: '/api/git/changes', query: { path, ref } });
  if (!Array.isArray(changes)) throw senseless('list of changes');
  return changes.map(({ status, path: changed }: JsonObject) => ({
    status: textOrNull(status) ?? '',
    path: textOrNull(changed) ?? '',
  }));
}

/** A file as it is and as it was. */
export async function gitDiff(
  client: ServerClient,
  path: string,
  { ref, commit }: { readonly ref?: string; readonly commit?: string },
): Promise<GitDiff> {
  const diff = await client.json({ method: 'GET', path: '/api/git/diff', query: { path, ref, commit } });
  if (typeof diff !== 'object' || diff === null) throw senseless('diff');
  const { modified, original } = diff as JsonObject;
  return { modified: textOrNull(modified), original: textOrNull(original) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function senseless(what: string): ConversationError {
  return new ConversationError('SERVER_FAILED', `the server answered with what is no ${what}`);
}
