import type { Command } from 'commander';

import type { Program } from '../program.ts';
import type { Ended } from './ended.ts';
import { anywhere, ID, running } from './options.ts';
import { wholeNumber } from './values.ts';

/** Adds the commands that run an agent, or make a conversation for it. */
export function addRunning(root: Command, program: Program, ended: Ended): void {
  running(root, program, 'run')
    .description('start a conversation with a task; Ctrl-C pauses it, a second Ctrl-C interrupts it')
    .argument('<task>', 'first message of the conversation')
    .option('--workspace <dir>', 'folder for the agent, on the server with --server (default: workspace/project)')
    .option('--hooks', 'run the hooks in .openhands/hooks.json of the workspace')
    .action(async (task, options) =>
      ended(await (await import('../commands/run.ts')).runCommand(task, options, program)),
    );
  const resume = running(root, program, 'resume')
    .description('continue a conversation where it stopped, or with a new message')
    .argument('<id>', ID)
    .argument('[message]', 'further message')
    .option('--approve', 'approve the waiting actions')
    .option('--reject', 'reject the waiting actions')
    .option('--no-mcp', 'continue without the MCP servers of the conversation')
    .action(async (id, message, options) =>
      ended(await (await import('../commands/resume.ts')).resumeCommand(id, message, options, program)),
    );
  if (program.standIn) resume.option('--scripted', 'let the script continue the conversation of a model');
  anywhere(root, program, 'fork')
    .description('start a new conversation with the events of another')
    .argument('<id>', ID)
    .option('--at <n>', 'number of the last event to include (default: all)', wholeNumber)
    .option('--title <title>', 'title of the new conversation')
    .action(async (id, options) =>
      ended(await (await import('../commands/fork.ts')).forkCommand(id, options, program)),
    );
}
