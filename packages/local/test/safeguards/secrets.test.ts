import { isConversationError, SECRET_MASK, type ConversationError, type SecretDescription } from '@conv/core';
import { drafts, type ActionEvent } from '@conv/core/events';
import type { ToolSession } from '@conv/core/tool';
import { describe, expect, onTestFinished, test } from 'vitest';

import { gate, never, open, play, texts, type Bench } from '../support/bench.ts';
import { fakeCipher } from '../support/fake-vault.ts';
import { ScriptedAgent, type Request, type Script } from '../support/scripted-agent.ts';
import { GIVEN, OTHER, stored, VALUE, VAULT, withSecret } from '../support/secret-bench.ts';

const oneCall = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work'] : 'done');

/** The names of the warnings that the process gives while the test runs. */
function warnings(): Error[] {
  const seen: Error[] = [];
  const listen = (warning: Error): void => void seen.push(warning);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  return seen;
}

describe('P9: a value', () => {
  test('P9: a secret is in no commit: not in the first, messages, thoughts, arguments, results or titles', async () => {
    const { conversation, store } = await withSecret(
      {
        think: ({ number }) => (number === 1 ? ['work', 'fail'] : `it is ${VALUE}`),
        call: (tool) => {
          if (tool === 'fail') throw new Error(`bad ${VALUE}`);
          return `printed ${VALUE}`;
        },
      },
      { ...GIVEN, title: `uses ${VALUE}`, cipher: fakeCipher() },
    );
    await conversation.sendMessage(`use ${VALUE}`);
    await conversation.run();
    await conversation.settings.setTitle(`again ${VALUE}`);
    expect(await stored(store, conversation.id)).not.toContain(VALUE);
    expect(await texts(conversation)).toContain(`it is ${SECRET_MASK}`);
  });

  test.each(['TOKEN', 'key'])(
    'P9: a value of %s is masked in the rejection of a run, and in its causes',
    async (which) => {
      const value = which === 'key' ? OTHER : VALUE;
      const { conversation, store } = await withSecret({
        secretValues: [OTHER],
        think: () => Promise.reject(new Error(`refused: ${value}`, { cause: { header: value } })),
      });
      const error: unknown = await conversation.run().catch((thrown: unknown) => thrown);
      expect(isConversationError(error, 'RUN_FAILED')).toBe(true);
      const { message, cause, stack } = error as ConversationError;
      const inner = cause as Error;
      expect([message, inner.message, inner.stack, stack, JSON.stringify(inner.cause)].join()).not.toContain(value);
      expect(message).toContain(SECRET_MASK);
      expect(await stored(store, conversation.id)).not.toContain(value);
    },
  );

  test('P9: a secret is not in the middle of a failure that is too long for the log', async () => {
    const { conversation } = await withSecret({
      think: () => Promise.reject(new Error(`${'x'.repeat(9_990)}${VALUE}${'y'.repeat(20_000)}`)),
    });
    await conversation.run().catch(() => {});
    const failure = (await conversation.events.at(-1)) as { detail?: string };
    for (const part of [VALUE.slice(0, 8), VALUE.slice(-8)]) expect(failure.detail).not.toContain(part);
  });

  test('P9: a secret is masked in side questions, their answers and their failures', async () => {
    let fails = false;
    const { conversation, agent } = await withSecret({
      think: () => {
        if (fails) throw new Error(VALUE);
        return `it is ${VALUE}`;
      },
    });
    expect((await conversation.askAgent(`is it ${VALUE}?`)).text).toBe(`it is ${SECRET_MASK}`);
    expect(agent.questions).toEqual([`is it ${SECRET_MASK}?`]);
    fails = true;
    await expect(conversation.askAgent('and?')).rejects.toMatchObject({ message: SECRET_MASK });
  });

  test('P9: a secret is masked in a failure to make the tools, even when the first message meets it', async () => {
    const start = (): void => {
      throw new Error(`cannot log in with ${VALUE}`);
    };
    const { conversation } = await play({ start }, GIVEN, VAULT);
    await expect(conversation.sendMessage('go')).rejects.toMatchObject({
      message: `cannot log in with ${SECRET_MASK}`,
    });
  });

  test('P9: a secret is masked in the pieces of an answer, across their borders and before the answer itself', async () => {
    const { conversation } = await withSecret({
      think: ({ context }) => {
        for (const text of ['it is correct', '-horse-bat', 'tery, you know: corr'])
          context.onToken?.({ kind: 'text', attempt: 1, text });
        context.onToken?.({ kind: 'reasoning', attempt: 1, text: VALUE });
        return 'done';
      },
    });
    const shown: string[] = [];
    conversation.subscribe({
      onEvent: ({ kind }) => void shown.push(kind),
      onToken: ({ kind, text }) => void shown.push(`${kind} ${text}`),
    });
    await conversation.run();
    expect(shown.join('|')).not.toContain('correct');
    const pieces = shown.filter((piece) => piece.startsWith('text ')).map((piece) => piece.slice(5));
    expect(pieces.join('')).toBe(`it is ${SECRET_MASK}, you know: ${SECRET_MASK}`);
    expect(shown).toContain(`reasoning ${SECRET_MASK}`);
    expect(shown.at(-1)).toBe('MessageEvent');
  });

  test('P9: a late or replaced secret is masked in earlier text by its old and its new value', async () => {
    const { conversation } = await withSecret({ think: () => `it is ${VALUE} or ${OTHER}` }, {});
    await conversation.run();
    expect(await texts(conversation)).toContain(`it is ${VALUE} or ${OTHER}`);
    await conversation.settings.updateSecrets({ TOKEN: VALUE });
    await conversation.settings.updateSecrets({ TOKEN: OTHER });
    const masked = `it is ${SECRET_MASK} or ${SECRET_MASK}`;
    expect(await texts(conversation)).toContain(masked);
    await conversation.sendMessage('again');
    await conversation.run();
    expect((await texts(conversation)).at(-1)).toBe(masked);
  });
});

describe('secrets', () => {
  test('P7: secrets change in one commit that waits for no source', async () => {
    const { conversation, store } = await withSecret();
    const { appends } = store;
    await conversation.settings.updateSecrets({ SLOW: never, TOKEN: OTHER });
    expect(store.appends).toBe(appends + 1);
    expect(conversation.settings.secrets.map(({ name }) => name)).toEqual(['SLOW', 'TOKEN']);
    await conversation.settings.updateSecrets({ SLOW: null });
    expect(conversation.settings.secrets.map(({ name }) => name)).toEqual(['TOKEN']);
  });

  test('secrets are named to the system prompt and to each step, never with their values', async () => {
    const named: (readonly SecretDescription[])[] = [];
    const { conversation } = await withSecret({
      onPrompt: (secrets) => void named.push(secrets),
      think: ({ context }) => {
        named.push(context.secrets);
        return 'done';
      },
    });
    await conversation.settings.updateSecrets({ LATER: { value: OTHER, description: 'for later' } });
    await conversation.run();
    expect(named).toEqual([
      [{ name: 'TOKEN', description: null }],
      [
        { name: 'LATER', description: 'for later' },
        { name: 'TOKEN', description: null },
      ],
    ]);
  });

  test('P1: secrets reach a tool when what was learned of them is durable, and its result is masked', async () => {
    let session: ToolSession | undefined;
    const asked = gate();
    const bench: Bench = await withSecret(
      {
        think: oneCall,
        onStart: (given) => (session = given),
        call: async (_tool, signal, event: ActionEvent) => {
          const named = await session?.secrets?.environmentFor('echo $LATE', signal);
          const { hiddenValues } = bench.conversation.state;
          expect(hiddenValues).toHaveLength(1);
          const text = `${named?.environment['LATE']}`;
          return drafts.observation(event, {
            content: [{ type: 'text', text }],
            is_error: false,
            kind: 'WorkObservation',
          });
        },
      },
      {
        secrets: {
          LATE: async () => {
            await asked.pass();
            return OTHER;
          },
        },
        cipher: fakeCipher(),
      },
    );
    const running = bench.conversation.run();
    await asked.reached;
    asked.open();
    expect((await running).status).toBe('finished');
    expect(await bench.conversation.events.at(3)).toMatchObject({ observation: { content: [{ text: SECRET_MASK }] } });
    expect(await stored(bench.store, bench.conversation.id)).not.toContain(OTHER);
  });

  test('secrets survive a restart with the cipher, values from sources too', async () => {
    const cipher = fakeCipher();
    let session: ToolSession | undefined;
    const script: Script = { onStart: (given) => (session = given) };
    const { conversation, store } = await withSecret(script, { secrets: { TOKEN: VALUE, LATE: () => OTHER }, cipher });
    await session?.secrets?.environmentFor('LATE', new AbortController().signal);
    const { id } = conversation;
    await conversation.close();
    const again = await open(
      store,
      { id, cipher, agent: new ScriptedAgent({ think: () => `${VALUE} ${OTHER}` }) },
      VAULT,
    );
    expect(again.settings.missingSecrets.map(({ name }) => name)).toEqual(['LATE']);
    await again.run();
    expect((await texts(again)).at(-1)).toBe(`${SECRET_MASK} ${SECRET_MASK}`);
    const fork = await open(store, { id: await again.history.fork(), cipher, agent: new ScriptedAgent() }, VAULT);
    expect(fork.state).toMatchObject({
      hiddenValues: again.state.hiddenValues,
      secretRegistry: again.state.secretRegistry,
    });
  });

  test.each([[VAULT], [{}]])(
    'secrets without a value after a restart are named once in a warning and in the settings',
    async (runtime) => {
      const { conversation, store, agent } = await withSecret();
      const { id } = conversation;
      await conversation.close();
      const seen = warnings();
      const again = await open(store, { id, agent }, runtime);
      await again.state.transaction(() => {});
      await new Promise((resolve) => setImmediate(resolve));
      const own = seen.filter(({ name, message }) => name === 'SecretWarning' && message.includes(id));
      expect(own.map(({ message }) => message)).toEqual([expect.stringContaining('TOKEN')]);
      expect(again.settings.missingSecrets).toEqual([{ name: 'TOKEN', reason: expect.any(String) as string }]);
      expect(again.settings.secrets).toEqual([{ name: 'TOKEN', description: null }]);
    },
  );

  test('secrets that are given again on a restart are there again, without a warning', async () => {
    const { conversation, store, agent } = await withSecret();
    const { id } = conversation;
    await conversation.close();
    const seen = warnings();
    const again = await open(store, { id, agent, ...GIVEN }, VAULT);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.filter(({ message }) => message.includes(id))).toEqual([]);
    expect(again.settings.missingSecrets).toEqual([]);
  });

  test('P10: child conversations have the secrets of their parent and mask them', async () => {
    const cipher = fakeCipher();
    const { conversation, store } = await withSecret({}, { ...GIVEN, cipher });
    const agent = new ScriptedAgent({ think: () => VALUE });
    const child = await open(store, { agent, parentId: conversation.id, cipher }, VAULT);
    expect(child.settings.secrets).toEqual([{ name: 'TOKEN', description: null }]);
    await child.sendMessage('go');
    await child.run();
    expect((await texts(child)).at(-1)).toBe(SECRET_MASK);
  });

  test('P13: a secret with a wrong name rejects INVALID_INPUT, and no conversation is made or changed', async () => {
    const { conversation, store, agent } = await withSecret();
    const { appends } = store;
    const wrong = { secrets: { 'no name': VALUE } };
    await expect(open(store, { agent, ...wrong }, VAULT)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(open(store, { agent, secrets: 7 as never }, VAULT)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await store.list()).items).toHaveLength(1);
    const updating = conversation.settings.updateSecrets(wrong.secrets);
    await expect(updating).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(store.appends).toBe(appends);
  });

  test('secrets are UNSUPPORTED in a runtime without a vault', async () => {
    await expect(play({}, GIVEN)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    const { conversation } = await play();
    await expect(conversation.settings.updateSecrets({ A: VALUE })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect([conversation.settings.secrets, conversation.settings.missingSecrets]).toEqual([[], []]);
  });
});

test('opening with the agent that is stored writes nothing, although its encrypted key differs each time', async () => {
  const cipher = fakeCipher();
  const agentWith = (key: string): ScriptedAgent =>
    new ScriptedAgent({
      description: (options) => {
        const sealed = options?.secrets === 'encrypted' ? options.cipher?.encrypt(key) : undefined;
        return { kind: 'Agent', tools: [], llm: { api_key: sealed ?? '**********' } };
      },
    });
  const { store, conversation } = await play({}, { agent: agentWith('first'), cipher });
  const { id } = conversation;
  const { workspace } = conversation.state;
  await conversation.close();
  const { appends } = store;
  const again = await open(store, { id, cipher, agent: agentWith('first'), workspace: workspace.workingDir });
  expect(store.appends).toBe(appends);
  await again.close();
  await (await open(store, { id, cipher, agent: agentWith('second'), workspace: workspace.workingDir })).close();
  expect(store.appends).toBe(appends + 1);
});
