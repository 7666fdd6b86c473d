import { resolve } from 'node:path';

import type { JsonObject, Masker } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { isToolError, text, type ToolContext, type ToolResult, type ToolSession } from '@conv/core/tool';

import { checkPath } from '../file-editor/check-path.ts';
import { explainFailure } from '../file-editor/explain-failure.ts';
import { ChangedMeanwhile, type OpenedFile } from '../file-editor/files.ts';
import { maskLines } from '../file-editor/mask-lines.ts';
import { isTableFull, Refusal } from '../file-editor/refusal.ts';
import type { SessionFiles } from '../file-editor/session-files.ts';
import { decodeText, type DecodedText } from '../file-editor/text-file.ts';
import { hasCode } from '../file-editor/write-file.ts';

/** A text file that is open. */
export interface OpenText extends AsyncDisposable {
  readonly file: OpenedFile;
  readonly decoded: DecodedText;
}

/** The form in which a tool tells of a failure. */
export interface Failing {
  /** Returns the fields of the observation. */
  readonly fields: (path: string) => JsonObject;
  /** Returns the text. Default: `Error: ` before the message. */
  readonly said?: (message: string) => string;
}

export interface WorkplaceOptions extends SessionFiles {
  /** Maximum size of a file in bytes. */
  readonly maxFileSize: number;
  /** Gives other work its turn in a long search. */
  readonly platform: Pick<Platform, 'nextTurn'>;
}

/** The files on which a tool of OpenHands' presets acts for one conversation, with the rules that hold for each such tool. */
export class Workplace {
  readonly session: ToolSession;
  readonly maxFileSize: number;
  readonly platform: WorkplaceOptions['platform'];
  readonly files: SessionFiles['files'];
  readonly resource: SessionFiles['resource'];
  #masker: Masker | undefined;

  constructor(session: ToolSession, { files, resource, maxFileSize, platform }: WorkplaceOptions) {
    this.session = session;
    this.files = files;
    this.resource = resource;
    this.maxFileSize = maxFileSize;
    this.platform = platform;
    this.#masker = session.secrets?.masker;
  }

  /** Returns the absolute path of a path that the model wrote. */
  pathOf(given: string): string {
    // an empty path must not become the working folder
    return given === '' ? '' : resolve(this.session.workingDirectory, given);
  }

  /** Resolves with the result of `work` on a path, or with an error result if nothing can be done there. */
  async answer(
    given: string,
    { signal, secrets }: ToolContext,
    work: (path: string) => Promise<ToolResult>,
    { fields, said = (message) => `Error: ${message}` }: Failing,
  ): Promise<ToolResult> {
    const path = this.pathOf(given);
    this.#masker = secrets?.masker ?? this.#masker;
    try {
      checkPath(given, this.session);
      return await work(path);
    } catch (error) {
      signal.throwIfAborted();
      const message = explainFailure(path, error);
      if (message === undefined) throw error;
      return { content: text(said(message)), isError: true, fields: fields(path) };
    }
  }

  /** True if a text may hold the mask in the place of a value. */
  get hasSecrets(): boolean {
    return (this.#masker?.version ?? 0) > 0;
  }

  /** Masks the text of a file before it leaves the tool. Cut the result, not the text before it is masked. */
  shown(content: string): string {
    return !this.#masker || !this.hasSecrets ? content : maskLines(this.#masker, content);
  }

  /** Opens a text file; `undefined` if nothing is there. Rejects {@link Refusal} for folders and binary files. */
  async openText(path: string, access: 'read' | 'write', signal: AbortSignal): Promise<OpenText | undefined> {
    const file = await this.open(path, access, signal);
    if (!file) return undefined;
    const decoded = decodeText(file.bytes);
    if (decoded) return { file, decoded, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
    await file[Symbol.asyncDispose]();
    throw new Refusal(`${path} is a binary file; this tool works on text.`);
  }

  /** Opens a file; `undefined` if nothing is there. Rejects {@link Refusal} for folders. */
  async open(path: string, access: 'read' | 'write', signal: AbortSignal): Promise<OpenedFile | undefined> {
    try {
      const file = await this.files.open(path, { access, maxSize: this.maxFileSize, signal });
      if (file) return file;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    throw new Refusal(`Path is a directory, not a file: ${path}`);
  }

  /** True for a failure that concerns one file or folder alone, so that a search passes over it. */
  isPassedOver(error: unknown): boolean {
    if (isTableFull(error)) return false;
    // a sandbox refuses with such an error; an executor answers with a refusal, so that its error says that it cannot act
    if (isToolError(error)) return this.session.executor === undefined;
    const isOfFile = error instanceof Refusal || error instanceof ChangedMeanwhile;
    return isOfFile || (error instanceof Error && 'code' in error && typeof error.code === 'string');
  }

  /** Throws {@link Refusal} for a text that is too long for a file. */
  checkSize(path: string, { length }: Pick<Buffer, 'length'>): void {
    if (length <= this.maxFileSize) return;
    throw new Refusal(
      `The text for ${path} has ${length} bytes, more than the ${this.maxFileSize} that this tool takes.`,
    );
  }

  /** Writes a whole file, new or not. */
  async write(path: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
    this.checkSize(path, bytes);
    await using file = await this.open(path, 'write', signal);
    if (file) await file.replace(bytes, signal);
    else await this.files.create(path, bytes, signal);
  }
}

/** Maximum JSON bytes of a text in the fields of a result; longer texts are left out. */
const MOST_CONTENT_BYTES = 300_000;

/** Returns a member with a text, unless there is none or it is too long for an event. */
export function keptText(name: string, content: string | undefined): JsonObject {
  if (content === undefined || Buffer.byteLength(JSON.stringify(content)) > MOST_CONTENT_BYTES) return {};
  return { [name]: content };
}
