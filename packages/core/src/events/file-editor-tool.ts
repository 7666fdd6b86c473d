import { z } from 'zod';
import { model, optional } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** What the file editor can do. */
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

/** What the file editor did. */
export interface FileEditorObservation extends ObservationBase {
  readonly command: FileEditorCommand;
  readonly path?: string | null;
  /** Whether the file was there before; absent means true. */
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

/** What the file editor did. */
export const fileEditorObservationSchema: z.ZodType<FileEditorObservation> = model('forbid', {
  ...observationBase,
  command: commandSchema,
  path: optional(z.string()),
  prev_exist: z.exactOptional(z.boolean()),
  old_content: optional(z.string()),
  new_content: optional(z.string()),
  kind: z.literal('FileEditorObservation'),
});
