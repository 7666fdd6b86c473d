import { z } from 'zod';
import { model, optional } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** The commands of the file editor. */
export type FileEditorCommand = 'view' | 'create' | 'str_replace' | 'insert' | 'undo_edit';

/** View or change a file. */
export interface FileEditorAction {
  readonly command: FileEditorCommand;
  readonly path: string;
  readonly file_text?: string | null;
  readonly old_str?: string | null;
  readonly new_str?: string | null;
  readonly insert_line?: number | null;
  readonly view_range?: readonly number[] | null;
  readonly kind: 'FileEditorAction';
}

/** The result of a file editor command. */
export interface FileEditorObservation extends ObservationBase {
  readonly command: FileEditorCommand;
  readonly path?: string | null;
  /** True if the file existed before; absent means true. */
  readonly prev_exist?: boolean;
  readonly old_content?: string | null;
  readonly new_content?: string | null;
  readonly kind: 'FileEditorObservation';
}

const commandSchema = z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']);

/** View or change a file. */
export const fileEditorActionSchema: z.ZodType<FileEditorAction> = model('forbid', {
  command: commandSchema,
  path: z.string(),
  file_text: optional(z.string()),
  old_str: optional(z.string()),
  new_str: optional(z.string()),
  insert_line: optional(z.int().min(0)),
  view_range: optional(z.array(z.int())),
  kind: z.literal('FileEditorAction'),
});

/** Schema of the result of a file editor command. */
export const fileEditorObservationSchema: z.ZodType<FileEditorObservation> = model('forbid', {
  ...observationBase,
  command: commandSchema,
  path: optional(z.string()),
  prev_exist: z.exactOptional(z.boolean()),
  old_content: optional(z.string()),
  new_content: optional(z.string()),
  kind: z.literal('FileEditorObservation'),
});
