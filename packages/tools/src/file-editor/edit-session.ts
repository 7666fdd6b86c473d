import { resolve } from 'node:path';

import type { Masker } from '@conv/core';
import { text, type ToolContext, type ToolResult, type ToolSession } from '@conv/core/tool';
import type { ContentPart } from '@conv/core/events';

import { checkPath } from './check-path.ts';
import { EditHistory } from './edit-history.ts';
import { explainFailure } from './explain-failure.ts';
import type { FileEditorInput } from './file-editor-input.ts';
import { imageType } from './image-type.ts';
import { refuseMaskedReplacement, refuseMaskedText } from './masked-text.ts';
import { maskLines } from './mask-lines.ts';
import { hashOf, type Files, type OpenedFile } from './files.ts';
import { Refusal } from './refusal.ts';
import { insertAfter, replaceOnce, type TextEdit } from './replace-text.ts';
import { linesOf, snippet } from './snippet.ts';
import { decodeText, encodeText, type DecodedText } from './text-file.ts';
import { count, numbered, viewImage, viewText } from './view-file.ts';
import { viewFolder } from './view-folder.ts';

/** Maximum JSON bytes of `old_content` and of `new_content`; longer texts are left out. */
const MOST_CONTENT_BYTES = 300_000;

interface Answer {
  readonly content: readonly ContentPart[];
  readonly existed?: boolean;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

export interface EditSessionOptions {
  /** Maximum size of a file in bytes. */
  readonly maxFileSize: number;
  readonly files: Files;
  /** The only file that may be changed. Default: any file. */
  readonly onlyEdits?: string;
}

/** The files that the agent of one conversation has viewed, and its edits of them. */
export class EditSession {
  readonly #session: ToolSession;
  readonly #maxFileSize: number;
  readonly #files: Files;
  readonly #onlyEdits: string | undefined;
  readonly #seen = new Map<string, string>();
  readonly #history = new EditHistory();
  #masker: Masker | undefined;

  constructor(session: ToolSession, { maxFileSize, files, onlyEdits }: EditSessionOptions) {
    this.#session = session;
    this.#masker = session.secrets?.masker;
    this.#maxFileSize = maxFileSize;
    this.#files = files;
    this.#onlyEdits = onlyEdits;
  }

  async execute(input: FileEditorInput, { signal, secrets }: ToolContext): Promise<ToolResult> {
    const { command } = input;
    // an empty path must not become the working folder
    const path = input.path === '' ? '' : resolve(this.#session.workingDirectory, input.path);
    this.#masker = secrets?.masker ?? this.#masker;
    try {
      checkPath(input.path, this.#session);
      this.#checkEdit(command, path);
      const { content, existed = true, before, after } = await this.#run({ ...input, path }, signal);
      return {
        content,
        fields: {
          command,
          path,
          prev_exist: existed,
          ...keepShort('old_content', this.#shown(before)),
          ...keepShort('new_content', this.#shown(after)),
        },
      };
    } catch (error) {
      signal.throwIfAborted();
      const message = explainFailure(path, error);
      if (message === undefined) throw error;
      const existed = await this.#files.isTaken(path);
      return { content: text(message), isError: true, fields: { command, path, prev_exist: existed } };
    }
  }

  #checkEdit(command: FileEditorInput['command'], path: string): void {
    if (command === 'view' || this.#onlyEdits === undefined || this.#onlyEdits === path) return;
    throw new Refusal(
      `Operation '${command}' is not allowed on file '${path}'. Only the following files can be edited: ['${this.#onlyEdits}']`,
    );
  }

  #run(input: FileEditorInput, signal: AbortSignal): Promise<Answer> {
    switch (input.command) {
      case 'view':
        return this.#view(input, signal);
      case 'create':
        return this.#create(input, signal);
      case 'str_replace':
        return this.#edit(input, signal, (current) => {
          const wanted = required(input, 'old_str');
          if (this.#hasSecrets) refuseMaskedReplacement(input.path, current, wanted, input.new_str ?? '');
          return replaceOnce(input.path, current, wanted, input.new_str ?? '');
        });
      case 'insert':
        return this.#edit(input, signal, (current) => {
          const line = required(input, 'insert_line');
          const added = required(input, 'new_str');
          if (this.#hasSecrets) refuseMaskedText('new_str', added);
          return insertAfter(input.path, current, line, added);
        });
      case 'undo_edit':
        return this.#undo(input, signal);
    }
  }

  async #view({ path, view_range: range }: FileEditorInput, signal: AbortSignal): Promise<Answer> {
    await using file = await this.#files.open(path, { access: 'read', maxSize: this.#maxFileSize, signal });
    if (!file) {
      if (range) throw new Refusal(`${path} is a folder, and view_range is for files.`);
      return { content: text(await viewFolder(this.#files, path, signal)) };
    }
    const image = imageType(file.bytes);
    if (image) return { content: viewImage(path, image, file.bytes) };
    const decoded = textOf(path, file.bytes);
    this.#seen.set(file.realPath, file.hash);
    return { content: text(viewText(path, decoded, this.#shown(decoded.text), range)) };
  }

  async #create(input: FileEditorInput, signal: AbortSignal): Promise<Answer> {
    const { path } = input;
    const content = required(input, 'file_text');
    if (this.#hasSecrets) refuseMaskedText('file_text', content);
    const bytes = Buffer.from(content);
    if (bytes.length > this.#maxFileSize)
      throw new Refusal(
        `file_text has ${bytes.length} bytes, more than the ${this.#maxFileSize} that this tool takes.`,
      );
    this.#remember(await this.#files.create(path, bytes, signal), undefined, bytes);
    return {
      content: text(`Created ${path} with ${count(linesOf(content).length, 'line')}.`),
      existed: false,
      after: content,
    };
  }

  async #edit(input: FileEditorInput, signal: AbortSignal, change: (text: string) => TextEdit): Promise<Answer> {
    const { path } = input;
    await using file = await this.#openFile(path, this.#maxFileSize, signal);
    const decoded = textOf(path, file.bytes);
    const seen = this.#seen.get(file.realPath);
    if (seen !== undefined && seen !== file.hash)
      throw new Refusal(
        `${path} was changed by another program since you last saw it. Nothing was changed; view it again first.`,
      );
    const edit = change(decoded.text);
    const bytes = this.#encode(path, { ...decoded, text: edit.text });
    await file.replace(bytes, signal);
    this.#remember(file.realPath, file.bytes, bytes);
    const shown = snippet(this.#shown(edit.text), edit.first, edit.last);
    return {
      content: text(`Edited ${path}. The lines around the edit are now:\n${shown}`),
      before: decoded.text,
      after: edit.text,
    };
  }

  async #undo({ path }: FileEditorInput, signal: AbortSignal): Promise<Answer> {
    await using file = await this.#openFile(path, Number.POSITIVE_INFINITY, signal);
    const edit = this.#history.last(file.realPath);
    if (!edit) throw new Refusal(`There is no edit of ${path} to undo.`);
    if (edit.after !== file.hash)
      throw new Refusal(
        `${path} was changed by another program since your last edit, so undoing it would lose that change.`,
      );
    const before = decodeText(file.bytes)?.text;
    if (edit.before) await file.replace(edit.before, signal);
    else await file.remove(signal);
    this.#history.removeLast(file.realPath);
    if (!edit.before) {
      this.#seen.delete(file.realPath);
      return { content: text(`Undid the creation of ${path}: the file is deleted.`), before };
    }
    this.#seen.set(file.realPath, hashOf(edit.before));
    const after = decodeText(edit.before)?.text ?? '';
    return {
      content: text(`Undid the last edit of ${path}. It is now:\n${numbered(this.#shown(after))}`),
      before,
      after,
    };
  }

  get #hasSecrets(): boolean {
    return (this.#masker?.version ?? 0) > 0;
  }

  /** Masks the text of a file before it leaves the tool. Cut the result, not the text before it is masked. */
  #shown<Text extends string | undefined>(content: Text): Text | string {
    return content === undefined || !this.#masker || !this.#hasSecrets ? content : maskLines(this.#masker, content);
  }

  #encode(path: string, edited: DecodedText): Buffer {
    const bytes = encodeText(edited);
    if (!bytes) throw new Refusal(`${path} is encoded as ${edited.encoding}, which lacks a character of the new text.`);
    if (bytes.length > this.#maxFileSize)
      throw new Refusal(`The edit would make ${path} larger than the ${this.#maxFileSize} bytes that this tool takes.`);
    return bytes;
  }

  /** Reads a file to change it. */
  async #openFile(path: string, maxSize: number, signal: AbortSignal): Promise<OpenedFile> {
    const file = await this.#files.open(path, { access: 'write', maxSize, signal });
    if (!file) throw new Refusal(`${path} is a folder; only view works on folders.`);
    return file;
  }

  #remember(path: string, before: Buffer | undefined, after: Buffer): void {
    const hash = hashOf(after);
    this.#seen.set(path, hash);
    this.#history.add(path, { before, after: hash });
  }
}

function required<Name extends 'file_text' | 'old_str' | 'new_str' | 'insert_line'>(
  input: FileEditorInput,
  name: Name,
): Exclude<FileEditorInput[Name], undefined> {
  const value = input[name];
  if (value === undefined) throw new Refusal(`${input.command} needs ${name}.`);
  return value as Exclude<FileEditorInput[Name], undefined>;
}

function keepShort(name: 'old_content' | 'new_content', content: string | undefined): Record<string, string> {
  if (content === undefined || Buffer.byteLength(JSON.stringify(content)) > MOST_CONTENT_BYTES) return {};
  return { [name]: content };
}

/** Returns the file's text. Throws {@link Refusal} for a binary file. */
function textOf(given: string, bytes: Buffer): DecodedText {
  const decoded = decodeText(bytes);
  if (!decoded) throw new Refusal(`${given} is a binary file; this tool works on text.`);
  return decoded;
}
