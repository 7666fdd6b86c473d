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
  1    \`check\` found something damaged or lost, a claim of the scripted job did not hold, or something unforeseen
  2    wrong arguments, or an id that is none
  3    no such conversation
  4    another process writes the conversation
  5    the agent does not fit the stored one, such as a tool that was removed
  6    the model: a key is missing, it is not reachable, its answer makes no sense
  7    stored data is damaged (what is whole is shown), or the disk failed
  8    actions wait for approval
  9    the server: it is not reachable, refuses the key, or failed
  130  stopped with Ctrl-C; \`resume\` goes on`;
