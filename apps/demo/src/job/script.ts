import {
  call,
  lastUserText,
  type ModelRequest,
  say,
  type ToolResult,
  toolResults,
  type Turn,
} from '@conv/testing-model-server';

import { DELETE_TASK, FACTS_FILE, FORK_QUESTION, NOT_LIKE_THIS, SECRET_TASK, SLOWLY } from './task.ts';

const FILES = 'find . -type f | wc -l';
const PACKAGES =
  `find . -name package.json -exec node -p "process.argv.slice(1)` +
  `.map((file) => JSON.parse(fs.readFileSync(file, 'utf8')).name).sort().join(', ')" {} +`;
const TESTS = `grep -rhE --include='*.test.ts' '^ *(test|it)\\(' . | wc -l`;

/** Milliseconds before an answer and between its pieces on a terminal. */
const THINKING = 800;
const TYPING = 25;

/** The same before an answer that a person may want to come before. */
const HESITATING = 2000;

/**
 * The scripted model of the job. It knows how to ask and not what the answers are: every number and name that it writes or
 * says is taken from the results of tools in the request.
 */
export function jobScript(request: ModelRequest): Turn {
  const pace = request.stream ? { delay: THINKING, chunkDelay: TYPING } : {};
  return { ...nextTurn(request), ...pace };
}

/** Returns the next turn for an agent on a server. It is slow even without a terminal, so that a pause arrives before the end. */
export function unhurriedScript(request: ModelRequest): Turn {
  const written = toolResults(request, 'since-last-user-message').at(-1)?.name === 'file_editor';
  return { ...nextTurn(request), delay: written ? HESITATING : THINKING, chunkDelay: request.stream ? TYPING : 0 };
}

function nextTurn(request: ModelRequest): Turn {
  const said = lastUserText(request);
  const facts = factsIn(toolResults(request));
  if (said.includes(FORK_QUESTION)) {
    return say(
      `The repository has ${facts.files} files and ${facts.tests} tests in these packages: ${facts.packages}.`,
    );
  }
  const done = toolResults(request, 'since-last-user-message');
  if (said.includes(SECRET_TASK)) return runAsTold(said, done);
  if (said.includes('say only "forgotten"')) return say('forgotten');
  return said.includes(DELETE_TASK) ? deleteFile(done) : gatherFacts(request, done, facts);
}

/** Results of the three commands; undefined without a result or without exit code 0. */
interface Facts {
  readonly files: string | undefined;
  readonly packages: string | undefined;
  readonly tests: string | undefined;
}

function factsIn(results: readonly ToolResult[]): Facts {
  const printed = (command: string): string | undefined => {
    const result = results.findLast((each) => commandOf(each).endsWith(command) && succeeded(each));
    return result?.text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim();
  };
  return { files: printed(FILES), packages: printed(PACKAGES), tests: printed(TESTS) };
}

function gatherFacts(request: ModelRequest, done: readonly ToolResult[], { files, packages, tests }: Facts): Turn {
  const last = done.at(-1);
  if (files === undefined) return ask(last, 'First: how many files are there?', FILES);
  if (packages === undefined) return ask(last, `${files} files. Now the names of the packages.`, PACKAGES);
  if (tests === undefined) return countTests(request, last);
  const written = done.find(({ name }) => name === 'file_editor');
  if (!written) {
    const path = `${workingFolder(request)}/${FACTS_FILE}`;
    const text = `files: ${files}\npackages: ${packages}\ntests: ${tests}\n`;
    return call(
      'file_editor',
      { command: 'create', path, file_text: text },
      { text: 'I have all three facts and write them down.' },
    );
  }
  if (last?.name === 'file_editor')
    return call('terminal', { command: `cat ${FACTS_FILE}` }, { text: 'The file now contains:' });
  return call('finish', { message: `${FACTS_FILE} is written: ${files} files, ${tests} tests.` });
}

function countTests(request: ModelRequest, last: ToolResult | undefined): Turn {
  if (last && commandOf(last).endsWith(TESTS)) {
    const text = 'That command was cut off, and its outcome is unknown. Counting changes nothing, so I count again.';
    return wasInterrupted(last) ? call('terminal', { command: TESTS }, { text }) : giveUp(last);
  }
  const slowly = SLOWLY.exec(lastUserText(request))?.[1];
  const command = slowly === undefined ? TESTS : `${slowly} ${TESTS}`;
  return call('terminal', { command }, { text: 'Now the tests.' });
}

function deleteFile(done: readonly ToolResult[]): Turn {
  const last = done.at(-1);
  const command = `rm ${FACTS_FILE} && test ! -e ${FACTS_FILE} && echo gone`;
  // what a careless model does
  if (!last) return call('terminal', { command: 'rm -rf ./*' }, { text: 'I clean up.' });
  if (last.text.includes(NOT_LIKE_THIS)) return call('terminal', { command }, { text: `Only ${FACTS_FILE}, then.` });
  return succeeded(last) ? call('finish', { message: `${FACTS_FILE} is deleted.` }) : giveUp(last);
}

function runAsTold(said: string, done: readonly ToolResult[]): Turn {
  const command = said.slice(said.indexOf('\n') + 1);
  return done.length === 0
    ? call('terminal', { command }, { text: 'I know the name of the secret, but not its value.' })
    : call('finish', { message: 'The command has used the token.' });
}

/** A command, unless it was tried already and did not work. */
function ask(last: ToolResult | undefined, text: string, command: string): Turn {
  return last && commandOf(last) === command ? giveUp(last) : call('terminal', { command }, { text });
}

function giveUp({ text }: ToolResult): Turn {
  return call('finish', { message: `I cannot go on: ${text.slice(0, 500)}` });
}

function commandOf({ arguments: json }: ToolResult): string {
  const { command } = JSON.parse(json) as { readonly command?: unknown };
  return typeof command === 'string' ? command : '';
}

function succeeded({ text }: ToolResult): boolean {
  return text.includes('[Command finished with exit code 0]');
}

function wasInterrupted({ text }: ToolResult): boolean {
  return text.includes('interrupted');
}

function workingFolder({ messages }: ModelRequest): string {
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text);
  return /^Working folder: (.+)$/m.exec(system.join('\n'))?.[1] ?? '.';
}
