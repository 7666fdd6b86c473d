import { createAgent, type Model } from '@conv/agent';
import type { Agent } from '@conv/core';
import type { ToolFactory, ToolProvider } from '@conv/core/tool';
import { fileEditor, taskTracker, terminal } from '@conv/tools';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../failure.ts';

const makers: Readonly<Record<string, () => ToolFactory>> = {
  terminal: () => terminal(),
  file_editor: () => fileEditor(),
  task_tracker: () => taskTracker(),
};

/** Names of the tools that an agent of this program may have. */
export const toolNames: readonly string[] = Object.keys(makers);

/** The agent of this program. Throws {@link CommandError} for a tool that does not exist. */
export function demoAgent(
  model: Model,
  tools: readonly string[] = toolNames,
  providers: readonly ToolProvider[] = [],
): Agent {
  return createAgent({ model, tools: [...tools.map(makeTool), ...providers] });
}

function makeTool(name: string): ToolFactory {
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (make) return make();
  throw new CommandError(
    exitCodes.usage,
    `no tool is called ${JSON.stringify(name)}; there are ${toolNames.join(', ')}`,
  );
}
