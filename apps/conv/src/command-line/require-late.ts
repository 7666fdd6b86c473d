import type { Command } from 'commander';

/**
 * Reports unknown options before missing ones. The parser does the opposite, but the unknown option may be the required option,
 * misspelt.
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
