import type { ExitCode } from '@conv/cli';
import type { Command } from 'commander';

/** Lets the program play the scripted job when no command is named. */
export function addJob(program: Command, ended: (exitCode: ExitCode) => void): void {
  program
    .description('Durable conversations with an agent. Without a command, plays the scripted job.')
    .option('--keep', 'scripted job: keep the temporary folder')
    .option('--remote', 'scripted job: use an agent server, which is killed and restarted')
    .argument('[unknown]')
    .action(async (unknown: string | undefined, options) => {
      if (unknown !== undefined) program.error(`error: unknown command ${JSON.stringify(unknown)}`);
      ended(await (await import('./job/job.ts')).jobCommand(options));
    });
}
