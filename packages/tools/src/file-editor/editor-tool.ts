import { resolve } from 'node:path';

import { defineTool, type Tool, type ToolSession, toolWires } from '@conv/core/tool';

import { EditSession, type EditSessionOptions } from './edit-session.ts';
import { fileEditorInputSchema } from './file-editor-input.ts';
import type { SessionFiles } from './session-files.ts';

/** An editor of files under one of its names. */
export interface EditorVariant {
  readonly name: string;
  /** The beginning of its kinds on the wire: `FileEditor` for FileEditorTool, FileEditorAction and FileEditorObservation. */
  readonly kind: string;
  readonly description: string;
  readonly edits: EditSessionOptions;
}

/** Returns the tool of an editor in one conversation. */
export function editorTool(
  session: ToolSession,
  { resource, rules, close }: SessionFiles,
  { name, kind, description, edits: options }: EditorVariant,
): Tool {
  const edits = new EditSession(session, options);
  return defineTool({
    name,
    description: rules === undefined ? description : `${description}\n\n${rules}`,
    input: fileEditorInputSchema,
    annotations: { title: name, readOnly: false, destructive: true, idempotent: false, openWorld: false },
    resources: ({ path }) => [`file:${resource(resolve(session.workingDirectory, path))}`],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: `${kind}Tool`,
        action: `${kind}Action`,
        observation: `${kind}Observation`,
      }),
    execute: (input, context) => edits.execute(input, context),
    ...(close && { close }),
  });
}
