import { checkOptionNames, type OptionNames } from '@conv/core';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { type Platform, systemPlatform } from '@conv/core/platform';
import {
  toolWires,
  defineTool,
  type Confinement,
  type Executor,
  type Sandbox,
  type Tool,
  ToolError,
  type ToolFactory,
  type ToolSession,
} from '@conv/core/tool';

import { checkElsewhere, checkSandbox } from '../check-sandbox.ts';
import { EditSession } from './edit-session.ts';
import { fileEditorDescription, fileEditorInputSchema } from './file-editor-input.ts';
import { ExecutedFiles } from './executed-files.ts';
import { machinePlaces } from './places.ts';
import { PlacedFiles } from './placed-files.ts';
import { SandboxPlaces } from './sandbox-places.ts';

/** Options of the file editor. */
export interface FileEditorOptions {
  /** Maximum size in bytes of a file to view or edit. Default 10 MiB. */
  readonly maxFileSize?: number;
  /**
   * Keeps the editor to the files that programs in this sandbox reach, at the same paths. Linux alone; elsewhere `create` rejects
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
 * In a conversation with an executor it acts on the files there. What it has seen, what it can undo, and secrets stay in this process.
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
  const { executor } = session;
  checkElsewhere('file editor', sandbox, executor);
  const confinement = sandbox && (await confinementOf(sandbox, session));
  const places = confinement ? new SandboxPlaces(confinement) : machinePlaces;
  const files = executor ? new ExecutedFiles(session, executor) : new PlacedFiles(places, platform);
  const edits = new EditSession(session, { maxFileSize, files });
  return defineTool({
    name: 'file_editor',
    description: confinement ? `${fileEditorDescription}\n\n${RULES} ${confinement.rules}` : fileEditorDescription,
    input: fileEditorInputSchema,
    annotations: { title: 'file_editor', readOnly: false, destructive: true, idempotent: false, openWorld: false },
    resources: ({ path }) => [`file:${resourceOf(resolve(session.workingDirectory, path), confinement, executor)}`],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: 'FileEditorTool',
        action: 'FileEditorAction',
        observation: 'FileEditorObservation',
      }),
    execute: (input, context) => edits.execute(input, context),
    ...(confinement && { close: () => confinement.close() }),
    // a conversation without a terminal ends there with its file editor
    ...(executor && { close: () => executor.end(session.conversationId) }),
  });
}

const RULES = 'This tool views and changes the files that commands in the sandbox reach, at the same paths.';

async function confinementOf(sandbox: Sandbox, session: ToolSession): Promise<Confinement> {
  if (process.platform !== 'linux')
    throw new ToolError(
      'UNSUPPORTED',
      `The file editor keeps to a sandbox on Linux alone, and this is ${process.platform}: leave it out, or use a container.`,
    );
  return sandbox.open(session);
}

/** Returns the name of a file that is the same for all its paths, as far as they are known. */
function resourceOf(path: string, confinement: Confinement | undefined, executor: Executor | undefined): string {
  // the files are on another machine, so their links cannot be read at once
  if (executor) return path;
  if (!confinement) return realPathOf(path);
  try {
    return confinement.place(path, 'read');
  } catch {
    // the call is refused
    return path;
  }
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
