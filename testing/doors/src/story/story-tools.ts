import { imageContent } from '@conv/core/events';
import { defineTool, text, type Tool } from '@conv/core/tool';
import { z } from 'zod';

import { IMAGE } from './story.ts';

const input = z.object({ words: z.string(), fails: z.boolean() });

/** Answers with its words. */
export const repeat: Tool = defineTool({
  name: 'repeat',
  description: 'Repeats words.',
  input,
  resources: () => [],
  execute: ({ words, fails }) => {
    if (fails) throw new Error(`${words} cannot be repeated`);
    return text(words);
  },
});

/** Answers with an image. */
export const paint: Tool = defineTool({
  name: 'paint',
  description: 'Shows an image.',
  input,
  resources: () => [],
  execute: ({ words, fails }) => {
    if (fails) throw new Error(`${words} cannot be painted`);
    return [...text(words), imageContent(IMAGE)];
  },
});
