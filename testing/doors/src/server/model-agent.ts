import { createAgent, openaiCompatible } from '@conv/agent';
import type { Agent } from '@conv/core';
import { imageContent } from '@conv/core/events';
import { defineTool, text, type Tool } from '@conv/core/tool';
import { z } from 'zod';

const repeat: Tool = defineTool({
  name: 'repeat',
  description: 'Repeats words.',
  input: z.object({ words: z.string() }),
  resources: () => [],
  execute: ({ words }) => {
    if (words === 'nothing') throw new Error('nothing cannot be repeated');
    return text(words);
  },
});

const paint: Tool = defineTool({
  name: 'paint',
  description: 'Shows an image.',
  input: z.object({ url: z.string() }),
  resources: () => [],
  execute: ({ url }) => [imageContent(url)],
});

/** Returns an agent with a model at an address, which a test answers for. */
export function modelAgent(baseUrl: string): Agent {
  const model = openaiCompatible('scripted', { baseUrl, retry: { attempts: 1 } });
  return createAgent({ model, tools: [repeat, paint] });
}
