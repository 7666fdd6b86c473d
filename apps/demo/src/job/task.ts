/** The file for the facts, relative to the folder that the agent works in. */
export const FACTS_FILE = 'FACTS.txt';

/** Text before a command that the user wants to be slow. Both the user's message and the script use it. */
export const SLOWLY: RegExp = /begin the command of the third with `([^`]+)`/;

/** Title of the job's conversation. */
export const JOB_TITLE = 'Three facts about a repository';

/**
 * The job in the user's words. With `marker` the third command is to take a while, so many seconds, and to say in that file that it
 * runs.
 */
export function factsTask(marker?: string, seconds: number = 5): string {
  const slowly = marker
    ? ` To make it slow, begin the command of the third with \`echo $$ > '${marker}'; sleep ${seconds};\`.`
    : '';
  return `Find out three facts about the repository in your working folder, with the terminal, one command each:
1. files: the number of regular files in it, at any depth.
2. packages: the value of "name" in every package.json, sorted, with ", " between them.
3. tests: the number of lines in files named *.test.ts that begin, after any spaces, with test( or it(.${slowly}
Write them to ${FACTS_FILE} there with the file editor, in exactly three lines: "files: N", "packages: A, B", "tests: N".
Then show the file in the terminal with cat, and finish.`;
}

/** Asked in the fork. */
export const FORK_QUESTION: string =
  'In one sentence, from what you have seen so far and without any tool: what are the three facts?';

/** Name of the secret. */
export const SECRET_NAME = 'DEPLOY_TOKEN';

/** Makes a command use the secret and print it. */
export const SECRET_TASK: string = `There is a secret named ${SECRET_NAME} now. Run this in the terminal and finish:
echo "token: $${SECRET_NAME}"; node -p "crypto.createHash('sha256').update(process.env.${SECRET_NAME}).digest('hex')"`;

/** The second message about the facts. */
export const DELETE_TASK: string = `Thank you. Now delete ${FACTS_FILE} with the terminal, and check that it is gone.`;

/** Reason with which the person of the job rejects the first attempt. */
export const NOT_LIKE_THIS: string = `Not like this: name ${FACTS_FILE} and nothing else.`;
