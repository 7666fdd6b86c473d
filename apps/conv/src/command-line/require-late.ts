import type { Command } from 'commander';

/**
 * Lets required options be asked for after unknown options are named, which the parser does in the other order: the unknown option may be
 * the required one, misspelt.
 */
export function requireLate(root: Command): void {
  for (const command of root.commands)
    for (const option of command.options.filter(({ mandatory }) => mandatory)) {
      option.mandatory = false;
      command.hook('preAction', () => {
        if (command.getOptionValue(option.attributeName()) === undefined)
          command.error(`error: required option '${option.flags}' not specified`);
      });
    }
}
