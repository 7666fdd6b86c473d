import { resolve } from 'node:path';

import { checkStorePlace } from '@conv/stores';
import { Command, InvalidArgumentError, Option } from 'commander';

import { DEFAULT_DIRECTORY } from './conversation/default-directory.ts';
import { defaultTools, toolNames } from './conversation/tool-names.ts';
import { type ExitCode, exitCodesHelp } from './exit-code.ts';
import { SERVER_KEY_VARIABLE } from './server/given-server.ts';

/**
 * The commands of the program. `ended` receives the exit code of the command that ran. Each command is loaded when it is asked for: help and
 * wrong arguments need none.
 */
export function commandLine(ended: (exitCode: ExitCode) => void): Command {
  const program = new Command('conv')
    .description('Durable conversations with an agent on this machine. Without a command: the scripted job.')
    .option('--keep', 'scripted job: keep its temporary folder')
    .option('--remote', 'scripted job: on an agent server, which is killed and started anew')
    .usage('[options] [command]')
    .argument('[unknown]')
    .action(async (unknown: string | undefined, options) => {
      if (unknown !== undefined) program.error(`error: there is no command ${JSON.stringify(unknown)}`);
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
Keys and secrets are stored encrypted when OH_SECRET_KEY is set, and are asked for again otherwise.
`;

function addRunning(program: Command, ended: (exitCode: ExitCode) => void): void {
  running(program, 'run')
    .description('start a conversation with a task; Ctrl-C pauses, twice interrupts')
    .argument('<task>')
    .option(
      '--workspace <dir>',
      'folder that the agent works in, on the server if there is one (default: workspace/project)',
    )
    .option('--hooks', 'run the hooks in .openhands/hooks.json of the workspace')
    .action(async (task, options) => ended(await (await import('./commands/run.ts')).runCommand(task, options)));
  running(program, 'resume')
    .description('go on with a conversation where it stopped, or with a new message')
    .argument('<id>', 'its id, or the start of it')
    .argument('[message]')
    .option('--approve', 'approve what waits')
    .option('--reject', 'reject what waits')
    .option('--scripted', 'let the script answer in a conversation that a model began')
    .option('--no-mcp', 'go on without the MCP servers that it had')
    .action(async (id, message, options) =>
      ended(await (await import('./commands/resume.ts')).resumeCommand(id, message, options)),
    );
  anywhere(program, 'fork')
    .description('begin a new conversation with what another one holds')
    .argument('<id>')
    .option('--at <n>', 'number of the last event that it takes over (default: all)', wholeNumber)
    .option('--title <title>')
    .action(async (id, options) => ended(await (await import('./commands/fork.ts')).forkCommand(id, options)));
  child(program, 'copy')
    .description('copy a conversation to another store; again: go on, or take over what is new')
    .argument('<id>', 'its id, or the start of it')
    .option('--from <store>', 'where it is: fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX (default: the --dir)')
    .requiredOption('--to <store>', 'where it goes')
    .action(async (id, options) => ended(await (await import('./commands/copy.ts')).copyCommand(id, options)));
  addKeeping(program, ended);
}

function addKeeping(program: Command, ended: (exitCode: ExitCode) => void): void {
  const address = 'fs:DIR, sqlite:FILE, postgres://…, s3:BUCKET/PREFIX';
  program
    .command('check')
    .description('read every record of a store and say what is wrong; 0: nothing, 1: something is damaged or lost')
    .argument('<store>', address)
    .argument('[id]', 'one conversation, or the start of its id (default: all)')
    .option('--repair', 'restore what another copy holds whole; change nothing else')
    .option('--after <id>', 'go on behind this conversation, where a check was stopped')
    .action(async (store, id, options) =>
      ended(await (await import('./commands/check.ts')).checkCommand(store, id, options)),
    );
  program
    .command('backup')
    .description('copy a store to another one, also while it is written; again: what is new, or go on')
    .argument('<store>', address)
    .argument('[id]', 'one conversation, or the start of its id (default: all)')
    .requiredOption('--to <store>', 'where the copy is kept')
    .action(async (store, id, options) =>
      ended(await (await import('./commands/backup.ts')).backupCommand(store, id, options)),
    );
}

function addReading(program: Command, ended: (exitCode: ExitCode) => void): void {
  anywhere(program, 'list')
    .description('list the conversations')
    .option('--json')
    .action(async (options) => ended(await (await import('./commands/list.ts')).listCommand(options)));
  anywhere(program, 'show')
    .description('state and events, now or as they were')
    .argument('<id>')
    .option('--at <n>', 'as it was after the event of this number', wholeNumber)
    .option('--json')
    .action(async (id, options) => ended(await (await import('./commands/show.ts')).showCommand(id, options)));
  anywhere(program, 'confirm-damage')
    .description('show the settings that hold after damage, and confirm that they are right')
    .argument('<id>', 'its id, or the start of it')
    .action(async (id, options) =>
      ended(await (await import('./commands/confirm-damage.ts')).confirmDamageCommand(id, options)),
    );
  anywhere(program, 'replay')
    .description('show it again as it looked; runs nothing')
    .argument('<id>')
    .option('--json')
    .action(async (id, options) => ended(await (await import('./commands/replay.ts')).replayCommand(id, options)));
  child(program, 'messages')
    .description('what the model is sent next')
    .argument('<id>')
    .addOption(new Option('--format <format>').choices(['chat', 'responses']).default('chat'))
    .action(async (id, options) => ended(await (await import('./commands/messages.ts')).messagesCommand(id, options)));
  anywhere(program, 'diagram')
    .description('a Mermaid diagram of who said and called what')
    .argument('<id>')
    .option('--tree', 'all events and their branches instead')
    .action(async (id, options) => ended(await (await import('./commands/diagram.ts')).diagramCommand(id, options)));
}

function child(program: Command, name: string): Command {
  return program
    .command(name)
    .option('--dir <dir>', 'where conversations are kept', folderOf, resolve(DEFAULT_DIRECTORY));
}

/** A command about conversations of this machine or of a server. */
function anywhere(program: Command, name: string): Command {
  return child(program, name)
    .addOption(
      new Option('--server <url>', 'the agent server that holds them, instead of this machine').conflicts('dir'),
    )
    .option('--server-key <name>', `variable that holds the key of the server (default: ${SERVER_KEY_VARIABLE})`);
}

/** A command that runs an agent. */
function running(program: Command, name: string): Command {
  return anywhere(program, name)
    .option('--config <file>', 'YAML or JSON with what follows, MCP servers and skills; options here win')
    .option('--confirm', 'ask before each action')
    .option('--confirm-risky', 'ask before actions of medium, high or unknown risk')
    .option('--max-iterations <n>', 'model responses at most', wholeNumber)
    .option('--budget <usd>', 'US dollars that the run may cost', dollars)
    .addOption(toolsOption())
    .option('--tool-concurrency <n>', 'calls of one response that may run at the same time (default: 1)', fromOne)
    .addOption(mcpOption())
    .addOption(secretOption())
    .option('--json', 'one line of JSON for each event');
}

function toolsOption(): Option {
  return new Option(
    '--tools <names>',
    `comma-separated, of ${toolNames.join(', ')} (default: ${defaultTools.join(', ')})`,
  ).argParser((names) => names.split(',').map((name) => name.trim()));
}

function mcpOption(): Option {
  return new Option('--mcp <file>', 'JSON file with MCP servers by name; `${NAME}` in it stands for a secret');
}

function secretOption(): Option {
  const collect = (name: string, names: readonly string[] = []): readonly string[] => [...names, name];
  return new Option('--secret <name>', 'variable that holds a secret; may be repeated').argParser(collect);
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
