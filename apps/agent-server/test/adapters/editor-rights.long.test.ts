import type { Scope } from '@conv/server/access';
import { inCi } from '@conv/testing-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Editor } from '../editor/editor.ts';
import { eventually } from '../server-process.ts';
import { ALL, keyOf, LIMITS, refusalOf, RightsServer, SETS, UNTOUCHED, WHICH, type Asking } from './rights-server.ts';

let server: RightsServer;

beforeAll(async () => {
  server = await RightsServer.start();
}, 60_000);

afterAll(() => server.close());

/** A request of an editor about a session. Rejects with the refusal. */
interface EditorOperation {
  readonly name: string;
  readonly needs: readonly Scope[];
  readonly ask: (editor: Editor, id: string) => Promise<unknown>;
}

const place = (sessionId: string): { sessionId: string; cwd: string; mcpServers: [] } => {
  return { sessionId, cwd: '/', mcpServers: [] };
};

const NOTHING_DECIDED = 'Nothing was decided: ';

const OPERATIONS: readonly EditorOperation[] = [
  { name: 'load', needs: ['read'], ask: (editor, id) => editor.load(id) },
  {
    name: 'resume',
    needs: ['read'],
    ask: async (editor, id) => {
      await editor.initialize();
      await editor.agent.request('session/resume', { ...place(id), _meta: { 'conv/after': 0 } });
    },
  },
  {
    name: 'prompt',
    needs: ['read', 'run'],
    ask: async (editor, id) => {
      await editor.load(id);
      await editor.say(id, 'On');
    },
  },
  {
    name: 'mode',
    needs: ['read', 'approve'],
    ask: async (editor, id) => {
      await editor.load(id);
      await editor.agent.request('session/set_mode', { sessionId: id, modeId: 'never-ask' });
    },
  },
  ...['allow', 'reject'].map((optionId) => ({
    name: optionId,
    needs: ['read', 'approve'] as const,
    ask: async (editor: Editor, id: string) => {
      await editor.load(id);
      (await editor.question()).answer(optionId);
      const remark = await eventually(() => editor.shown.find((line) => line.includes(NOTHING_DECIDED)));
      throw Object.assign(new Error(remark), { code: remark.includes('approve') ? DENIED : 0 });
    },
  })),
];

/** The codes of the protocol for a session that is not there, and for what a key may not. */
const [MISSING, DENIED] = [-32_002, -32_000];

interface Asked extends Asking {
  readonly operation: EditorOperation;
}

const CASES: readonly Asked[] = OPERATIONS.flatMap((operation) =>
  SETS.flatMap((scopes) =>
    Object.keys(LIMITS).flatMap((limits) => WHICH.map((which) => ({ operation, scopes, limits, which }))),
  ),
);

/** Resolves with the code of the refusal and its text; with 0 if the request was not refused. */
async function ask({ operation, scopes, limits, which }: Asked): Promise<{ code: number; said: string }> {
  const key = keyOf(limits, scopes);
  const create = (): Promise<never> => Promise.reject(new Error('expected the id of a session'));
  const editor = new Editor({ create, open: (id) => server.open(id, key) });
  try {
    await operation.ask(editor, server.places[which].id);
    return { code: 0, said: '' };
  } catch (error) {
    return { code: Number(Object(error).code), said: String(error) };
  } finally {
    editor.leave();
  }
}

test('P10: a key without the right reads, runs and approves nothing through an editor', async () => {
  const wrong: string[] = [];
  const refused = inCi(
    CASES.filter((asked) => refusalOf(asked, asked.operation.needs) !== undefined),
    5,
  );
  expect(refused.length).toBeGreaterThan(100);
  for (const asked of refused) {
    const { code, said } = await ask(asked);
    const expected = refusalOf(asked, asked.operation.needs) === 404 ? MISSING : DENIED;
    const leaks = expected === MISSING && /bob|blue|red\b/.test(said);
    if (code === expected && !leaks) continue;
    const { operation, scopes, limits, which } = asked;
    wrong.push(`${operation.name} ${keyOf(limits, scopes)} ${which}: ${expected} is ${code} ${said}`);
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(await server.untouched()).toEqual(UNTOUCHED);
}, 300_000);

test('P10: an editor cancels nothing without the right to run', async () => {
  const { id } = server.places.own;
  const editor = new Editor({ create: () => Promise.reject(new Error('no')), open: (at) => server.open(at, READS) });
  await editor.load(id);
  await editor.agent.notify('session/cancel', { sessionId: id });
  // the answer to another request comes behind the notification
  await editor.load(id);
  expect(await server.untouched()).toEqual(UNTOUCHED);
});

const READS = keyOf('own', ['read']);

test('an editor with the rights prompts and approves', async () => {
  const { id } = await server.waiting('ann', 'red');
  const editor = new Editor({
    create: () => Promise.reject(new Error('no')),
    open: (at) => server.open(at, keyOf('own', ALL)),
  });
  await editor.load(id);
  (await editor.question()).answer('allow');
  await eventually(() => editor.shown.some((line) => line.includes('completed')));
  expect(await editor.say(id, 'On')).toBe('end_turn');
});
