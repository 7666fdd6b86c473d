import { checkOptionNames, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { Sandbox, Tool, ToolFactory, ToolSession } from '@conv/core/tool';

import { checkSandbox } from '../check-sandbox.ts';
import { editorTool } from './editor-tool.ts';
import { fileEditorDescription } from './file-editor-input.ts';
import { openSessionFiles } from './session-files.ts';

/** Options of the file editor. */
export interface FileEditorOptions {
  /** Maximum size in bytes of a file to view or edit. Default 10 MiB. */
  readonly maxFileSize?: number;
  /**
   * Keeps the editor to the files that programs in this sandbox reach, at the same paths. Linux and macOS alone; elsewhere `create` rejects
   * `ToolError` `UNSUPPORTED`, as it does when the sandbox cannot be had. Default: every file that this process reaches.
   */
  readonly sandbox?: Sandbox;
  /** Source of ids for temporary files. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<FileEditorOptions> = { maxFileSize: true, sandbox: true, platform: true };

/**
 * Creates an editor of text files for each conversation, with the wire kinds FileEditorTool, FileEditorAction and
 * FileEditorObservation. A refused command changes nothing and gives a result with `is_error`. An edit is on disk when its result
 * arrives. Text is masked before it is cut and shown, and in a conversation with secrets the mask is never written in the place of
 * a value (P9). Undo lasts as long as the tool: the last 20 edits of a file, 32 MiB over all files.
 *
 * In a sandbox the description has its rules, and a path that programs inside do not reach is refused, also when a program puts
 * symbolic links in its way meanwhile.
 *
 * In a conversation with an executor it acts on the files there. Seen contents, edits to undo, and secrets stay in this process.
 */
export function fileEditor(options: FileEditorOptions = {}): ToolFactory {
  checkOptionNames('fileEditor', options, NAMES);
  checkSandbox('fileEditor', options.sandbox);
  const { platform: _platform, sandbox: _sandbox, ...params } = options;
  return { name: 'file_editor', params, create: (session) => createFileEditor(session, options) };
}

async function createFileEditor(
  session: ToolSession,
  { maxFileSize = 10 << 20, sandbox, platform = systemPlatform }: FileEditorOptions,
): Promise<Tool> {
  const opened = await openSessionFiles('file editor', session, { sandbox, platform });
  return editorTool(session, opened, {
    name: 'file_editor',
    kind: 'FileEditor',
    description: fileEditorDescription,
    edits: { maxFileSize, files: opened.files },
  });
}
