import { z } from 'zod';

/** The description that the model reads. */
export const fileEditorDescription = `Views, creates and edits files. Write absolute paths; a relative one starts from the working folder.

- \`view\` shows a text file with line numbers, all of it or the lines of \`view_range\`; an image; or a folder, two levels deep.
- \`create\` writes a new file with \`file_text\`, folders included. It never overwrites.
- \`str_replace\` replaces \`old_str\` by \`new_str\`. \`old_str\` must occur exactly once and be copied exactly, spaces included, without the line numbers of the view: take enough lines around the change.
- \`insert\` puts \`new_str\` after line \`insert_line\`; 0 is the start of the file.
- \`undo_edit\` takes back the last edit that was made to the file with this tool.

Line endings, encoding and permissions of a file stay as they are. An edit is refused when somebody else has changed the file since you last saw it; view it again then.`;

export const fileEditorInputSchema = z.object({
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']).describe('What to do.'),
  path: z.string().describe('Absolute path of the file, or of the folder to view.'),
  file_text: z.string().optional().describe('For create: the content of the new file.'),
  old_str: z.string().optional().describe('For str_replace: the text to replace, which occurs exactly once.'),
  new_str: z.string().optional().describe('For str_replace: what takes its place; for insert: what is inserted.'),
  insert_line: z.int().min(0).optional().describe('For insert: the number of the line after which new_str goes.'),
  view_range: z
    .array(z.int())
    .optional()
    .describe('For view of a file: first and last line, counted from 1; -1 as last means to the end.'),
});

/** The arguments of the file editor, as its action has them. */
export type FileEditorInput = Readonly<z.infer<typeof fileEditorInputSchema>>;
