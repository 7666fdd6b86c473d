import { type Command, Option } from 'commander';

import type { Program } from '../program.ts';
import type { Ended } from './ended.ts';
import { ADDRESS, anywhere, ID, inStore } from './options.ts';
import { isStoreNamed } from './require-store.ts';

const JSON_LINES = 'print one line of JSON for each conversation';

/** Adds the commands that check, copy and delete what is stored. */
export function addKeeping(root: Command, program: Program, ended: Ended): void {
  storeOrId(root, program, 'check')
    .description(
      'read every record of a store and report problems; exit code 0: none, or a recorded loss, 1: damage or loss',
    )
    .option('--repair', 'restore data of which a complete copy exists; change nothing else')
    .option('--after <id>', 'continue a stopped check after this conversation')
    .option('--json', JSON_LINES)
    .action(async (first, second, options, command: Command) =>
      ended(
        await (
          await import('../commands/check.ts')
        ).checkCommand({ first, second, isNamed: isStoreNamed(command) }, options),
      ),
    );
  storeOrId(root, program, 'backup')
    .description('copy a store to another, even during writes; repeat to continue, or to add new commits')
    .requiredOption('--to <store>', `target: ${ADDRESS}`)
    .option('--json', JSON_LINES)
    .action(async (first, second, options, command: Command) =>
      ended(
        await (
          await import('../commands/backup.ts')
        ).backupCommand({ first, second, isNamed: isStoreNamed(command) }, options),
      ),
    );
  const copy = inStore(root, program, 'copy')
    .description('copy a conversation to another store; repeat to continue, or to add new commits')
    .argument('<id>', ID)
    .addOption(new Option('--from <store>').conflicts(['store', 'dir']).hideHelp())
    .requiredOption('--to <store>', `target: ${ADDRESS}`)
    .option('--json', JSON_LINES)
    .action(async (id, options) => ended(await (await import('../commands/copy.ts')).copyCommand(id, options)));
  refuseServer(copy);
  anywhere(root, program, 'delete')
    .description('delete conversations for good; asks first')
    .argument('<ids...>', 'ids of conversations, or the starts of them')
    .option('--yes', 'delete without a question')
    .option('--json', JSON_LINES)
    .action(async (ids, options) => ended(await (await import('../commands/delete.ts')).deleteCommand(ids, options)));
  anywhere(root, program, 'confirm-damage')
    .description('show the settings after damage, and confirm that they are right')
    .argument('<id>', ID)
    .action(async (id, options) =>
      ended(await (await import('../commands/confirm-damage.ts')).confirmDamageCommand(id, options)),
    );
}

/** Makes a command about one conversation of a store or all; the store can also be its first argument. */
function storeOrId(root: Command, program: Program, name: string): Command {
  const command = inStore(root, program, name)
    .usage('[options] [id]')
    .argument('[id]', 'id of one conversation, or the start of it (default: all); or the address of the store')
    .addArgument(root.createArgument('[of-store]', 'id, after the address of the store'));
  return refuseServer(command);
}

/** Answers `--server` for a command that needs the records of a store. */
function refuseServer(command: Command): Command {
  return command.addOption(new Option('--server <url>').hideHelp()).on('option:server', () => {
    command.error(
      `error: ${command.name()} reads the records of a store, which a server does not provide; name its store with --store, or run the command on its machine`,
    );
  });
}
