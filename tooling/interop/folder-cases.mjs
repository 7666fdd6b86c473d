import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differences } from './difference.mjs';
import { FIXTURES, readGolden, SECRET_KEY } from './fixtures.mjs';
import { compareVersions } from './releases.mjs';

const MESSAGE = 'And what is next?';
const ANSWER = 'Nothing more.';
const TURN = { message: MESSAGE, answer: ANSWER, secretKey: SECRET_KEY };

/**
 * The cases, each run on every fixture: `run({ id, folder, reference, ours })` resolves or rejects with what was wrong.
 * Cases work on copies; the fixtures stay as they are.
 */
export const FOLDER_CASES = [
  {
    name: 'the reference reads what the golden file says',
    async run({ id, folder, reference }) {
      expectSame(await readGolden(id), await reference.describe(folder, SECRET_KEY), 'golden', 'reference');
    },
  },
  {
    name: 'the reference goes on in its own folder',
    async run({ id, folder, reference }) {
      await withCopy(id, folder, async (copy) => {
        const { sent, ...after } = await reference.continueFolder(copy, TURN);
        expectTurn(await readGolden(id), after);
        // Ties the descriptions to reality: the form they show is the form that left the process.
        const described = sent.api === 'chat' ? { api: 'chat', messages: withoutImages(sent.messages) } : sent;
        expectSame({ api: 'chat', messages: after.messages.slice(0, -1) }, described, 'described', 'sent');
      });
    },
  },
  {
    name: 'we read what the reference wrote',
    async run({ id, folder, ours }) {
      await withCopy(id, folder, async (copy) => {
        expectSame(await readGolden(id), await ours.describe(copy, SECRET_KEY), 'golden', 'ours');
      });
    },
  },
  {
    name: 'we go on, and the reference reads the same while we are open',
    async run({ id, folder, reference, ours }) {
      await withCopy(id, folder, async (copy) => {
        let compared = false;
        const whileOpen = async (described) => {
          expectSame(await reference.describe(copy, SECRET_KEY), described, 'reference', 'ours, open');
          compared = true;
        };
        await ours.continueFolder(copy, { ...TURN, whileOpen });
        if (!compared) throw new Error('ours.continueFolder never called whileOpen');
      });
    },
  },
  {
    name: 'we go on and close, and the reference reads the same',
    async run({ id, folder, reference, ours }) {
      await withCopy(id, folder, async (copy) => {
        await ours.continueFolder(copy, TURN);
        const theirs = await reference.describe(copy, SECRET_KEY);
        expectTurn(await readGolden(id), theirs);
        expectSame(theirs, await ours.describe(copy, SECRET_KEY), 'reference', 'ours');
      });
    },
  },
  {
    name: 'the reference goes on, and we read the same',
    async run({ id, folder, reference, ours }) {
      await withCopy(id, folder, async (copy) => {
        const { sent: _, ...theirs } = await reference.continueFolder(copy, TURN);
        expectSame(theirs, await ours.describe(copy, SECRET_KEY), 'reference', 'ours');
      });
    },
  },
  {
    name: 'we go on, then the reference, then we, and both read the same',
    async run({ id, folder, reference, ours }) {
      await withCopy(id, folder, async (copy) => {
        const before = await readGolden(id);
        await ours.continueFolder(copy, TURN);
        const { sent: _, ...theirs } = await reference.continueFolder(copy, TURN);
        expectSame(theirs, await ours.describe(copy, SECRET_KEY), 'reference, second turn', 'ours, second turn');
        await ours.continueFolder(copy, TURN);
        const last = await reference.describe(copy, SECRET_KEY);
        expectSame(last, await ours.describe(copy, SECRET_KEY), 'reference, third turn', 'ours, third turn');
        const answers = last.messages.filter(({ role, content }) => role === 'assistant' && isText(content, ANSWER));
        if (answers.length !== 3) throw new Error(`${answers.length} of the 3 answers are left in the messages`);
        expectSame(before.branch, last.branch.slice(0, before.branch.length), 'branch before', 'branch after');
      });
    },
  },
];

/**
 * Rejects unless a reference from 1.54 on reads and continues a folder of ours with ratings as events, and an older one refuses it, which is
 * why only conversations for newer releases have them.
 */
export async function checkRatings({ reference, ours, version }) {
  const parent = await mkdtemp(join(tmpdir(), 'conv-interop-ratings-'));
  try {
    const folder = await ours.makeRatedFolder(parent);
    const described = await ours.describe(folder, SECRET_KEY);
    if (compareVersions(version, '1.54.0') < 0) {
      const refusal = await reference.describe(folder, SECRET_KEY).then(
        () => undefined,
        (error) => String(error),
      );
      if (!refusal?.includes('SecurityAnalysisEvent')) throw new Error(`expected a refusal, found ${refusal}`);
      return;
    }
    expectSame(await reference.describe(folder, SECRET_KEY), described, 'reference', 'ours');
    const { sent: _, ...theirs } = await reference.continueFolder(folder, TURN);
    expectSame(theirs, await ours.describe(folder, SECRET_KEY), 'reference, second turn', 'ours, second turn');
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** Rejects unless the reference makes of the logs in `view_cases.py` what is committed, no case more and none less. */
export async function checkViews(reference) {
  const folder = await mkdtemp(join(tmpdir(), 'conv-interop-views-'));
  try {
    if ((await reference.projectViews(folder)) === 0) throw new Error('the reference projected no case');
    expectSame(await readViews(join(FIXTURES, 'views')), await readViews(folder), 'committed', 'reference');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readViews(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const entries = names.map(async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8'))]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Both sides must have moved: two readers that agree on having lost the turn would agree as well. */
function expectTurn(before, after) {
  if (after.event_count < before.event_count + 2) throw new Error(`only ${after.event_count} events after the turn`);
  expectSame(before.branch, after.branch.slice(0, before.branch.length), 'branch before', 'branch after');
  const [user, answer] = after.messages.slice(-2);
  if (user?.role !== 'user' || user.content.at(-1)?.text !== MESSAGE)
    throw new Error('the message is not the last but one in what the model would get');
  if (answer?.role !== 'assistant' || !isText(answer.content, ANSWER))
    throw new Error('the answer is not the last in what the model would get');
  if (after.execution_status !== 'finished') throw new Error(`status ${after.execution_status} after the turn`);
}

function isText(content, text) {
  return Array.isArray(content) && content.length === 1 && content[0]?.text === text;
}

/** Removes images: the folders' model takes them, but the descriptions are made for a model that does not. */
function withoutImages(messages) {
  return messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.filter(({ type }) => type !== 'image_url') }
      : message,
  );
}

function expectSame(expected, found, expectedName, foundName) {
  const places = differences(expected, found);
  if (places.length > 0) throw new Error(`expected = ${expectedName}, found = ${foundName}\n${places.join('\n')}`);
}

async function withCopy(id, folder, use) {
  const parent = await mkdtemp(join(tmpdir(), 'conv-interop-'));
  try {
    const copy = join(parent, id);
    await cp(folder, copy, { recursive: true });
    // The recorded owner was a process on another machine; a process that opens the copy would take it for alive until it expires.
    await rm(join(copy, 'owner_lease.json'), { force: true });
    await use(copy);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
