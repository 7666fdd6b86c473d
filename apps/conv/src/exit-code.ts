/** Exit codes of the program. They are part of its interface: `--help` lists them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  owned: 4,
  agent: 5,
  model: 6,
  storage: 7,
  waiting: 8,
  server: 9,
  interrupted: 130,
} as const;

/** One of the {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Text of `--help` about the exit codes. */
export const exitCodesHelp: string = `
Exit codes:
  0    done
  1    \`check\` found damage, or a loss that the log does not record; or an unexpected error
  2    wrong arguments, or an invalid id
  3    no such conversation, or no such store
  4    another process owns the conversation
  5    the agent does not match the stored agent, for example because a tool was removed
  6    the model: its key is missing, it is unreachable, or its answer is invalid
  7    stored data is damaged (intact data is shown), or the disk failed
  8    actions wait for approval
  9    the server: it is unreachable, refuses the key, or failed
  130  stopped with Ctrl-C; \`resume\` continues`;
