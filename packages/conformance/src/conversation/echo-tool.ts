import { z } from 'zod';

import { defineTool, type Tool } from '@conv/core/tool';
import type { ScriptedCall } from './model-script.ts';

/** A tool named `echo` that says what it is given, or fails when that is `fail`. */
export const echoTool: Tool = defineTool({
  name: 'echo',
  description: 'Says what it is given.',
  input: z.object({ text: z.string() }),
  annotations: { readOnly: true },
  execute: ({ text }) => {
    if (text === 'fail') throw new Error('echo was told to fail');
    return text;
  },
});

export function echo(text: string): ScriptedCall {
  return { name: 'echo', arguments: { text } };
}
