import { checkOptionNames, type OptionNames } from '@conv/core';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { type Platform, systemPlatform } from '@conv/core/platform';
import { toolWires, defineTool, type Tool, type ToolFactory, type ToolSession } from '@conv/core/tool';

import { EditSession } from './edit-session.ts';
import { fileEditorDescription, fileEditorInputSchema } from './file-editor-input.ts';

/** Options of the file editor. */
export interface FileEditorOptions {
  /** Maximum size in bytes of a file to view or edit. Default 10 MiB. */
  readonly maxFileSize?: number;
  /** Source of ids for temporary files. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<FileEditorOptions> = { maxFileSize: true, platform: true };

/**
 * Creates an editor of text files for each conversation, with the wire kinds FileEditorTool, FileEditorAction and
 * FileEditorObservation. A refused command changes nothing and gives a result with `is_error`. An edit is on disk when its result
 * arrives. Text is masked before it is cut and shown, and in a conversation with secrets the mask is never written in the place of
 * a value (P9). Undo lasts as long as the tool: the last 20 edits of a file, 32 MiB over all files.
 */
export function fileEditor(options: FileEditorOptions = {}): ToolFactory {
  checkOptionNames('fileEditor', options, NAMES);
  const { platform: _, ...params } = options;
  return { name: 'file_editor', params, create: (session) => createFileEditor(session, options) };
}

function createFileEditor(
  session: ToolSession,
  { maxFileSize = 10 << 20, platform = systemPlatform }: FileEditorOptions,
): Tool {
  const edits = new EditSession(session, { maxFileSize, platform });
  return defineTool({
    name: 'file_editor',
    description: fileEditorDescription,
    input: fileEditorInputSchema,
    annotations: { title: 'file_editor', readOnly: false, destructive: true, idempotent: false, openWorld: false },
    resources: ({ path }) => [`file:${realPathOf(resolve(session.workingDirectory, path))}`],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: 'FileEditorTool',
        action: 'FileEditorAction',
        observation: 'FileEditorObservation',
      }),
    execute: (input, context) => edits.execute(input, context),
  });
}

/** Returns the real path of a file, as far as it exists, because two names of one file are one resource. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}
