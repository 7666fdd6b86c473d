import { defineTool, type Tool } from '@conv/core/tool';
import { z } from 'zod';

export const add: Tool = defineTool({
  name: 'add',
  description: 'Adds numbers.',
  input: z.object({ numbers: z.array(z.number()), note: z.string().optional() }),
  annotations: { readOnly: false },
  execute: ({ numbers }) => String(numbers.reduce((sum, number) => sum + number, 0)),
});

export const look: Tool = defineTool({
  name: 'look',
  description: 'Looks at something.',
  input: z.object({ what: z.string() }),
  annotations: { readOnly: true },
  execute: ({ what }) => `${what} seen`,
});

export const terminal: Tool = defineTool({
  name: 'terminal',
  description: 'Runs a command.',
  input: z.object({ command: z.string(), reset: z.boolean().optional() }),
  execute: ({ command }) => `ran ${command}`,
});

export const fileEditor: Tool = defineTool({
  name: 'file_editor',
  description: 'Edits a file.',
  input: z.object({
    command: z.enum(['view', 'create', 'str_replace', 'insert']),
    path: z.string(),
    old_str: z.string().nullish(),
    new_str: z.string().nullish(),
    file_text: z.string().nullish(),
    insert_line: z.number().nullish(),
    view_range: z.array(z.number()).nullish(),
  }),
  execute: ({ command, path }) => `${command} ${path}`,
});
