import type { JsonObject } from '@conv/core';
import { isToolError } from '@conv/core/tool';

import { ChangedMeanwhile, hashOf, type Files } from '../file-editor/files.ts';
import { Refusal } from '../file-editor/refusal.ts';
import type { FileRequest } from '../requests/executor-requests.ts';

/** Executes a request of a file editor on the files of this machine. Resolves with failures that concern the file. */
export async function executeFiles(files: Files, request: FileRequest, signal: AbortSignal): Promise<JsonObject> {
  try {
    return await act(files, request, signal);
  } catch (error) {
    signal.throwIfAborted();
    // the sandbox refuses a path with an error of its own
    if (error instanceof Refusal || isToolError(error)) return { failure: 'refused', message: error.message };
    if (error instanceof ChangedMeanwhile) return { failure: 'changed', message: error.message };
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string') return { failure: 'system', message: code };
    throw error;
  }
}

async function act(files: Files, request: FileRequest, signal: AbortSignal): Promise<JsonObject> {
  const { path } = request;
  switch (request.act) {
    case 'open': {
      const maxSize = request.maxSize ?? Number.POSITIVE_INFINITY;
      await using file = await files.open(path, { access: request.access, maxSize, signal });
      return { file: file ? { realPath: file.realPath, bytes: file.bytes.toString('base64') } : null };
    }
    case 'create':
      return { realPath: await files.create(path, Buffer.from(request.bytes, 'base64'), signal) };
    case 'replace':
    case 'remove': {
      await using file = await files.open(path, { access: 'write', maxSize: Number.POSITIVE_INFINITY, signal });
      if (file && hashOf(file.bytes) !== request.hash) throw new ChangedMeanwhile(path);
      if (request.act === 'remove') await file?.remove(signal);
      else await file?.replace(Buffer.from(request.bytes, 'base64'), signal);
      if (!file) throw new ChangedMeanwhile(path);
      return { done: true };
    }
    case 'list':
      return { entries: (await files.list(path, signal)).map(({ name, isFolder }) => ({ name, isFolder })) };
    case 'describe':
      return { entries: (await files.describe(path, signal)).map((entry) => ({ ...entry })) };
    case 'isTaken':
      return { isTaken: await files.isTaken(path) };
  }
}
