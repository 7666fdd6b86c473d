import { resolve } from 'node:path';

import { checkStorePlace } from '@conv/stores';
import { Command, InvalidArgumentError, Option } from 'commander';

import { DEFAULT_DIRECTORY } from './conversation/default-directory.ts';
import { defaultTools, toolNames } from './conversation/tool-names.ts';
import { type ExitCode, exitCodesHelp } from './exit-code.ts';
import { SERVER_KEY_VARIABLE } from './server/key-variable.ts';

/**
 * The commands of the program. `ended` receives the exit code of the command that ran. Each command is loaded when it is asked for: help and
 * wrong arguments need none.
 */
export function commandLine(ended: (exitCode: ExitCode) => void): Command {
  const program = new Command('conv')
    .description('Durable conversations with an agent. Without a command, plays the scripted job.')
    .option('--keep', 'scripted job: keep the temporary folder')
    .option('--remote', 'scripted job: use an agent server, which is killed and restarted')
    .usage('[options] [command]')
    .argument('[unknown]')
    .action(async (unknown: string | undefined, options) => {
      if (unknown !== undefined) program.error(`error: unknown command ${JSON.stringify(unknown)}`);
      ended(await (await import('./job/job.ts')).jobCommand(options));
    })
    .addHelpText('after', modelHelp + exitCodesHelp)
    .showHelpAfterError('(--help lists commands and exit codes)')
    .exitOverride();
  addRunning(program, ended);
  addReading(program, ended);
  return program;
}

const modelHelp = `
The model comes from LLM_MODEL (openai/…, anthropic/…, gemini/…), LLM_API_KEY and LLM_BASE_URL.
Without LLM_MODEL a script answers, behind a real OpenAI-compatible server on loopback.
With OH_SECRET_KEY, keys and secrets are stored encrypted. Without it they are not stored, so pass them again to resume.
`;

function addRunning(program: Command, ended: (exitCode: ExitCode) => void): void {
  running(program, 'run')
    .description('start a conversation with a task; Ctrl-C pauses it, a second Ctrl-C interrupts it')
    .argument('<task>', 'first message of the conversation')
    .option('--workspace <dir>', 'folder for the agent, on the server with --server (default: workspace/project)')
    .option('--hooks', 'run the hooks in .openhands/hooks.json of the workspace')
    .action(async (task, options) => ended(await (await import('./commands/run.ts')).runCommand(task, options)));
  running(program, 'resume')
    .description('continue a conversation where it stopped, or with a new message')
    .argument('<id>', 'id of the conversation, or the start of it')
    .argument('[message]', 'further message')
    .option('--approve', 'approve the waiting actions')
    .option('--reject', 'reject the waiting actions')
    .option('--scripted', 'let the script continue the conversation of a model')
    .option('--no-mcp', 'continue without the MCP servers of the conversation')
    .action(async (id, message, options) =>
      ended(await (await import('./commands/resume.ts')).resumeCommand(id, message, options)),
    );
  anywhere(program, 'fork')
    .description('start a new conversation with the events of another')
    .argument('<id>', 'id of the conversation, or the start of it')
    .option('--at <n>', 'number of the last event to include (default: all)', wholeNumber)
    .option('--title <title>', 'title of the new conversation')
    .action(async (id, options) => ended(await (await import('./commands/fork.ts')).forkCommand(id, options)));
  child(program, 'copy')
    .description('copy a conversation to another store; repeat to continue, or to add new commits')
    .argument('<id>', 'id of the conversation, or the start of it')
    .option(
      '--from <store>',
      'source: fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX (default: the folder of --dir)',
    )
    .requiredOption('--to <store>', 'target, in the form of --from')
    .action(async (id, options) => ended(await (await import('./commands/copy.ts')).copyCommand(id, options)));
  addKeeping(program, ended);
}

function addKeeping(program: Command, ended: (exitCode: ExitCode) => void): void {
  const address = 'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX';
  program
    .command('check')
    .description(
      'read every record of a store and report problems; exit code 0: none, or a recorded loss, 1: damage or loss',
    )
    .argument('<store>', address)
    .argument('[id]', 'id of one conversation, or the start of it (default: all)')
    .option('--repair', 'restore data that another copy holds whole; change nothing else')
    .option('--after <id>', 'continue a stopped check after this conversation')
    .action(async (store, id, options) =>
      ended(await (await import('./commands/check.ts')).checkCommand(store, id, options)),
    );
  program
    .command('backup')
    .description('copy a store to another, even during writes; repeat to continue, or to add new commits')
    .argument('<store>', `source: ${address}`)
    .argument('[id]', 'id of one conversation, or the start of it (default: all)')
    .requiredOption('--to <store>', 'target, in the form of the source')
    .action(async (store, id, options) =>
      ended(await (await import('./commands/backup.ts')).backupCommand(store, id, options)),
    );
}

function addReading(program: Command, ended: (exitCode: ExitCode) => void): void {
  anywhere(program, 'list')
    .description('list conversations')
    .option('--json', 'print JSON')
    .action(async (options) => ended(await (await import('./commands/list.ts')).listCommand(options)));
  anywhere(program, 'show')
    .description('show state and events, now or at an earlier event')
    .argument('<id>', 'id of the conversation, or the start of it')
    .option('--at <n>', 'show the conversation after the event with this number', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id, options) => ended(await (await import('./commands/show.ts')).showCommand(id, options)));
  anywhere(program, 'confirm-damage')
    .description('show the settings after damage, and confirm that they are right')
    .argument('<id>', 'id of the conversation, or the start of it')
    .action(async (id, options) =>
      ended(await (await import('./commands/confirm-damage.ts')).confirmDamageCommand(id, options)),
    );
  anywhere(program, 'replay')
    .description('show a conversation again as it looked; runs nothing')
    .argument('<id>', 'id of the conversation, or the start of it')
    .option('--json', 'print one line of JSON for each event')
    .action(async (id, options) => ended(await (await import('./commands/replay.ts')).replayCommand(id, options)));
  child(program, 'messages')
    .description('show the next request to the model')
    .argument('<id>', 'id of the conversation, or the start of it')
    .addOption(new Option('--format <format>', 'form of the messages').choices(['chat', 'responses']).default('chat'))
    .action(async (id, options) => ended(await (await import('./commands/messages.ts')).messagesCommand(id, options)));
  anywhere(program, 'diagram')
    .description('print a Mermaid diagram of messages and calls')
    .argument('<id>', 'id of the conversation, or the start of it')
    .option('--tree', 'draw all events with their branches')
    .action(async (id, options) => ended(await (await import('./commands/diagram.ts')).diagramCommand(id, options)));
  anywhere(program, 'export')
    .description('write a conversation into one file that opens in a browser')
    .argument('<id>', 'id of the conversation, or the start of it')
    .requiredOption('--html <file>', 'file to write; it is replaced')
    .action(async (id, options) => ended(await (await import('./commands/export.ts')).exportCommand(id, options)));
}

function child(program: Command, name: string): Command {
  return program
    .command(name)
    .option('--dir <dir>', 'folder of the conversations', folderOf, resolve(DEFAULT_DIRECTORY));
}

/** A command about conversations of this machine or of a server. */
function anywhere(program: Command, name: string): Command {
  return child(program, name)
    .addOption(new Option('--server <url>', 'use the conversations of this agent server').conflicts('dir'))
    .option('--server-key <name>', `variable with the key of the server (default: ${SERVER_KEY_VARIABLE})`);
}

/** A command that runs an agent. */
function running(program: Command, name: string): Command {
  return anywhere(program, name)
    .option('--config <file>', 'YAML or JSON file with these options, MCP servers and skills; options override it')
    .option('--confirm', 'ask before each action')
    .option('--confirm-risky', 'ask before actions of medium, high or unknown risk')
    .option('--max-iterations <n>', 'maximum number of model responses', wholeNumber)
    .option('--budget <usd>', 'maximum cost of the run in US dollars', dollars)
    .addOption(toolsOption())
    .option('--tool-concurrency <n>', 'calls of one response that can run at the same time (default: 1)', fromOne)
    .addOption(mcpOption())
    .addOption(secretOption())
    .option('--json', 'print one line of JSON for each event');
}

function toolsOption(): Option {
  return new Option(
    '--tools <names>',
    `comma-separated names: ${toolNames.join(', ')} (default: ${defaultTools.join(', ')})`,
  ).argParser((names) => names.split(',').map((name) => name.trim()));
}

function mcpOption(): Option {
  return new Option('--mcp <file>', 'JSON file with MCP servers by name; `${NAME}` in it refers to a secret');
}

function secretOption(): Option {
  const collect = (name: string, names: readonly string[] = []): readonly string[] => [...names, name];
  return new Option('--secret <name>', 'variable with a secret; repeatable').argParser(collect);
}

/** A folder of conversations, which may still have to be made. */
function folderOf(text: string): string {
  const directory = resolve(text);
  try {
    checkStorePlace({ kind: 'fs', directory });
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  return directory;
}

function dollars(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('It must be a number above 0.');
}

function fromOne(text: string): number {
  const number = wholeNumber(text);
  if (number >= 1) return number;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0.');
}
