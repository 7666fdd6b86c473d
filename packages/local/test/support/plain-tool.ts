import { text, toolWires, type Tool, type ToolContext } from '@conv/core/tool';

/** Returns a tool without input, which does this and answers with its text. */
export function plainTool(name: string, execute: (context: ToolContext) => Promise<string>): Tool {
  const about = { name, description: 'Works.', inputSchema: { type: 'object' }, annotations: {} };
  return {
    ...about,
    wire: toolWires.mcp(about),
    parse: () => ({}),
    resources: () => undefined,
    execute: async (_, context) => ({ content: text(await execute(context)) }),
  };
}
