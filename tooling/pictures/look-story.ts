import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { call, calls, hang, lastUserText, say, toolResults, type Script } from '@conv/testing-model-server';

import { storyScript } from './story.ts';
import type { StudioServer } from './studio-server.ts';

/** Ids of the conversations that the looks show. */
export interface LookStory {
  readonly finished: string;
  /** Two calls of it wait for a person. */
  readonly waiting: string;
  readonly failed: string;
  /** It asks a person by a client tool. */
  readonly asking: string;
  /** Its model thinks and never ends. */
  readonly running: string;
  /** Its agent gave a task to a sub-agent. */
  readonly parent: string;
  /** A fork of `finished`. */
  readonly fork: string;
  /** It has two branches. */
  readonly branched: string;
  /** A commit of it is lost. */
  readonly damaged: string;
}

/** The words of the message whose commit is damaged. */
const LOST = 'These words are lost to a broken disk.';

const ASKING = {
  confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: false },
  security_analyzer: { kind: 'LLMSecurityAnalyzer' },
};

const WEB = { team: 'web' };

const TOOLS = [{ name: 'terminal' }, { name: 'file_editor' }, { name: 'task' }];

const QUESTION = {
  name: 'ask_person',
  description: 'Asks the person.',
  parameters: { type: 'object', properties: { question: { type: 'string' } } },
  answers: 'caller',
};

const LONG = `A long answer, as models like to give them.

## What I found

1. \`slug\` keeps **letters and digits** alone, see [the notes](https://example.com/notes).
2. A table of the same:

| title | slug |
| --- | --- |
| Ready? Go! | ready-go |
| A title of many words that is far too long for a column of a phone | a-title-of-many-words-that-is-far-too-long-for-a-column-of-a-phone |

\`\`\`js
const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? []; // a line of code that is wider than a telephone
return words.join('-');
\`\`\`
`;

/** The script of the story, and of the conversations that only the looks show. */
export function lookScript(work: string): Script {
  const story = storyScript(work);
  return (request, turn) => {
    const text = lastUserText(request);
    const results = toolResults(request, 'since-last-user-message');
    if (text.includes('wait for ever'))
      return hang(say('I think about it, and write the first half of a long answer.'));
    if (text.includes('two risks') && results.length === 0)
      return calls(
        ['git push origin main --force', `rm -rf ${work}/build && npm run build -- --mode production --sourcemap`].map(
          (command, index) => ({
            name: 'terminal',
            arguments: { command, security_risk: 'HIGH', summary: index === 0 ? 'Publish the branch' : 'Build again' },
          }),
        ),
        { text: 'Two things are left to do.' },
      );
    if (text.includes('ask me') && results.length === 0)
      return call(
        'ask_person',
        { question: 'Which colour shall the heading have?' },
        { text: 'I need to know one thing.' },
      );
    if (text.includes('delegate') && results.length === 0)
      return call(
        'task',
        { description: 'Review the slug', prompt: 'Review: Please mend the slug, and say what is left.' },
        { text: 'A sub-agent looks at it.' },
      );
    if (text.includes('explain')) return say(LONG);
    if (results.length > 0 && !text.includes('slug')) return say(`Done, with ${results.length} results.`);
    return story(request, turn);
  };
}

/** Plays the conversation of which {@link damageLooks} damages a message. Resolves with its id. */
export async function playDamaged(server: StudioServer, model: string, work: string): Promise<string> {
  const id = await server.converse('Which licence fits a library?', model, work);
  await server.say(id, LOST);
  await server.say(id, 'And which one fits a program?');
  await server.name(id, 'A conversation from a broken disk');
  return id;
}

/** Plays the other conversations. */
export async function playLooks(
  server: StudioServer,
  model: string,
  work: string,
): Promise<Omit<LookStory, 'damaged'>> {
  const start = async (
    text: string,
    title: string,
    more: Parameters<StudioServer['converse']>[3] = {},
    tags: object = WEB,
  ): Promise<string> => {
    const id = await server.converse(text, model, work, more);
    await server.name(id, title, tags);
    return id;
  };
  const failed = await start('Please translate the README.', 'Translate the README', {}, { team: 'docs' });
  const finished = await start('The test of slug fails. Please mend it.', 'Mend the slug of titles', ASKING);
  await server.say(finished, 'Please explain it.');
  const branched = await start('Which words fit a heading?', 'A conversation that went back');
  await server.goTo(branched, 2);
  await server.say(branched, 'Which words fit a footer?');
  const fork = await server.fork(finished, 7, 'Mend the slug of titles · fork at 7');
  await server.say(fork, 'Which words fit a footer?');
  const parent = await start('Please delegate the review.', 'A run with a sub-agent', { tools: TOOLS });
  const running = await server.begin('Please wait for ever.', model, work);
  await server.name(running, 'A run that is under way', WEB);
  const asking = await server.begin('Please ask me.', model, work, { client_tools: [QUESTION] });
  await server.name(asking, 'A question about colours', WEB);
  const title = 'Publish the website with a title that is a good deal longer than a telephone is wide';
  const waiting = await start('Take the two risks.', title, ASKING, { team: 'web', urgency: 'very high indeed' });
  return { finished, waiting, failed, asking, running, parent, fork, branched };
}

/** Flips a bit of the message that is to be lost, in the files of a store. No process may have the conversation open. */
export async function damageLooks(store: string): Promise<void> {
  for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.wal')) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const at = bytes.indexOf(LOST);
    if (at === -1) continue;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(file, bytes);
    return;
  }
  throw new Error(`expected the words ${JSON.stringify(LOST)} in a log of ${store}, found none`);
}
