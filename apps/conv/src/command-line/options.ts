import { type Command, Option } from 'commander';

import { defaultTools, toolNames } from '../conversation/tool-names.ts';
import type { Program } from '../program.ts';
import { SERVER_KEY_VARIABLE } from '../server/key-variable.ts';
import { dollars, fromOne } from './values.ts';

/** Forms of the address of a store. */
export const ADDRESS = 'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX';

/** Description of an argument that names a conversation. */
export const ID = 'id of the conversation, or the start of it';

/** Makes a command about the conversations of a store. `--dir DIR` is the earlier form of `--store fs:DIR`. */
export function inStore(root: Command, program: Program, name: string): Command {
  const command = root
    .command(name)
    .option('--store <address>', `store of the conversations: ${ADDRESS}`, program.defaultStore)
    .addOption(new Option('--dir <dir>').conflicts('store').hideHelp());
  return command.on('option:dir', (directory: string) => {
    // only given values conflict, and this value is a default
    if (command.getOptionValueSource('store') === 'default')
      command.setOptionValueWithSource('store', `fs:${directory}`, 'default');
  });
}

/** Makes a command about the conversations of a store or of a server. */
export function anywhere(root: Command, program: Program, name: string): Command {
  return inStore(root, program, name)
    .addOption(new Option('--server <url>', 'use the conversations of this agent server').conflicts(['store', 'dir']))
    .option('--server-key <name>', `variable with the key of the server (default: ${SERVER_KEY_VARIABLE})`);
}

/** Makes a command that runs an agent and prints what it does, as JSON when asked. */
export function running(root: Command, program: Program, name: string): Command {
  return withAgent(root, program, name).option('--json', 'print one line of JSON for each event');
}

/** Makes a command that runs an agent. */
export function withAgent(root: Command, program: Program, name: string): Command {
  return anywhere(root, program, name)
    .option('--config <file>', 'YAML or JSON file with these options, MCP servers and skills; options override it')
    .option('--confirm', 'ask before each action')
    .option('--confirm-risky', 'ask before actions of medium, high or unknown risk')
    .option('--max-iterations <n>', 'maximum number of model responses', fromOne)
    .option('--budget <usd>', 'maximum cost of the run in US dollars', dollars)
    .addOption(toolsOption())
    .addOption(sandboxOption())
    .addOption(sandboxReadOption())
    .addOption(sandboxHostOption())
    .option('--tool-concurrency <n>', 'calls of one response that can run at the same time (default: 1)', fromOne)
    .option('--mcp <file>', 'JSON file with MCP servers by name; `${NAME}` in it refers to a secret')
    .addOption(secretOption());
}

function toolsOption(): Option {
  return new Option(
    '--tools <names>',
    `comma-separated names: ${toolNames.join(', ')} (default: ${defaultTools.join(', ')})`,
  ).argParser((names) => names.split(',').map((name) => name.trim()));
}

/** The modes are those of `@conv/sandbox`, which is loaded with the first agent. */
export function sandboxOption(): Option {
  return new Option(
    '--sandbox <mode>',
    'what confines an agent on this machine: auto, on, closed (on, and without network) or off (default: auto)',
  )
    .choices(['auto', 'on', 'closed', 'off'])
    .conflicts('server');
}

/** A path may be given more than once. */
export function sandboxReadOption(): Option {
  return new Option('--sandbox-read <path>', 'folder or file that an agent in a sandbox reads as well; repeatable')
    .argParser(collect)
    .conflicts('server');
}

/** A host may be given more than once. */
export function sandboxHostOption(): Option {
  return new Option(
    '--sandbox-host <name>',
    'only host that an agent in a sandbox reaches, as example.org or *.example.org:443; repeatable',
  )
    .argParser(collect)
    .conflicts('server');
}

function secretOption(): Option {
  return new Option('--secret <name>', 'variable with a secret; repeatable').argParser(collect);
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}
