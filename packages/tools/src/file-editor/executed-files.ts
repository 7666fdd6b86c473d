import type { JsonObject } from '@conv/core';
import { ToolError, type Executor, type ToolSession } from '@conv/core/tool';
import type { z } from 'zod';

import { fileAnswers, type Failure, type FileRequest } from '../requests/executor-requests.ts';
import {
  ChangedMeanwhile,
  type DescribedEntry,
  hashOf,
  type Files,
  type FolderEntry,
  type OpenedFile,
} from './files.ts';
import { Refusal } from './refusal.ts';

/** The files where an executor acts. Nothing is held there between two requests, so a change names the content that it replaces. */
export class ExecutedFiles implements Files {
  readonly #session: ToolSession;
  readonly #executor: Executor;
  /** True if the last request got no answer. */
  #isAway = false;

  constructor(session: ToolSession, executor: Executor) {
    this.#session = session;
    this.#executor = executor;
  }

  async open(path: string, { access, maxSize, signal }: Parameters<Files['open']>[1]): Promise<OpenedFile | undefined> {
    const most = Number.isFinite(maxSize) ? maxSize : null;
    const { file } = await this.#ask(
      { tool: 'files', act: 'open', path, access, maxSize: most },
      fileAnswers.open,
      signal,
    );
    if (!file) return undefined;
    const bytes = Buffer.from(file.bytes, 'base64');
    const hash = hashOf(bytes);
    const change = async (request: FileRequest, stop: AbortSignal): Promise<void> =>
      void (await this.#ask(request, fileAnswers.done, stop));
    return {
      realPath: file.realPath,
      bytes,
      hash,
      replace: (changed, stop) =>
        change({ tool: 'files', act: 'replace', path, hash, bytes: changed.toString('base64') }, stop),
      remove: (stop) => change({ tool: 'files', act: 'remove', path, hash }, stop),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  async create(path: string, bytes: Buffer, signal: AbortSignal): Promise<string> {
    const request = { tool: 'files', act: 'create', path, bytes: bytes.toString('base64') } as const;
    return (await this.#ask(request, fileAnswers.create, signal)).realPath;
  }

  async list(path: string, signal: AbortSignal): Promise<readonly FolderEntry[]> {
    return (await this.#ask({ tool: 'files', act: 'list', path }, fileAnswers.list, signal)).entries;
  }

  async describe(path: string, signal: AbortSignal): Promise<readonly DescribedEntry[]> {
    return (await this.#ask({ tool: 'files', act: 'describe', path }, fileAnswers.describe, signal)).entries;
  }

  async isTaken(path: string): Promise<boolean> {
    // asked after a failure, whose error must not wait for an executor that does not answer
    if (this.#isAway) return false;
    const { signal } = new AbortController();
    const answer = this.#ask({ tool: 'files', act: 'isTaken', path }, fileAnswers.isTaken, signal);
    return (await answer.catch(() => ({ isTaken: false }))).isTaken;
  }

  /** Makes a request. Throws the error that the same act on this machine would throw. */
  async #ask<Answer extends object>(
    request: FileRequest,
    schema: z.ZodType<Answer | Failure>,
    signal: AbortSignal,
  ): Promise<Exclude<Answer, Failure>> {
    this.#isAway = true;
    const given = await this.#executor.execute(this.#session, request as unknown as JsonObject, { signal });
    this.#isAway = false;
    const { data } = schema.safeParse(given);
    if (!data)
      throw new ToolError(
        'FAILED',
        'The executor gave an answer that this file editor does not know. Ask the user to update the executor.',
      );
    if (!('failure' in data)) return data as Exclude<Answer, Failure>;
    const { failure, message } = data as Failure;
    if (failure === 'refused') throw new Refusal(message);
    if (failure === 'changed') throw new ChangedMeanwhile(request.path);
    throw Object.assign(new Error(message), { code: message });
  }
}
