import { imageContent, textContent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { FakeVault } from '../support/fake-vault.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** True if the part ends between two characters of the whole, as people see them. */
function isWhole(part: string, whole: string): boolean {
  const starts = new Set([...graphemes.segment(whole)].map(({ index }) => index)).add(whole.length);
  return starts.has(part.length);
}

/** The next warning of this process that names a conversation. */
async function warningOf(id: string): Promise<Error> {
  const { promise, resolve } = Promise.withResolvers<Error>();
  const look = (warning: Error): void => {
    if (warning.message.includes(id)) resolve(warning);
  };
  process.on('warning', look);
  const warning = await promise;
  process.off('warning', look);
  return warning;
}

describe('a generated title', () => {
  test('the model makes a title of the first message, and it resolves when the title is durable', async () => {
    const asked: string[] = [];
    const { conversation, store } = await play({
      title: (message) => {
        asked.push(message);
        return 'A login page';
      },
    });
    await conversation.sendMessage('Fix the\n login  page.');
    await conversation.sendMessage('And the other one.');
    expect(await conversation.settings.generateTitle()).toBe('A login page');
    expect([asked, conversation.state.title]).toEqual([['Fix the login page.'], 'A login page']);
    await conversation.close();
    const again = await open(store, { id: conversation.id, agent: new ScriptedAgent() });
    expect(again.state.title).toBe('A login page');
  });

  test('a generated title is asked for with the prompt of the caller', async () => {
    const { conversation } = await play({ title: (message, _, prompt) => `${prompt}: ${message}` });
    await conversation.sendMessage('Hi');
    expect(await conversation.settings.generateTitle({ prompt: 'In one word' })).toBe('In one word: Hi');
  });

  test('no model makes a title of a message that a hook has blocked or is still to check', async () => {
    const asked: string[] = [];
    const hooks = new FakeHooks({ UserPromptSubmit: ({ message }) => ({ blocked: message === 'bad words' }) });
    const title = (message: string): string => {
      asked.push(message);
      return 'A title';
    };
    const { conversation } = await play({ title }, { hooks });
    await conversation.sendMessage('bad words');
    expect(await conversation.settings.generateTitle()).toBe('bad words');
    await conversation.run();
    expect(await conversation.settings.generateTitle()).toBe('bad words');
    expect(asked).toEqual([]);
    const other = await play({ title }, { hooks: new FakeHooks({ UserPromptSubmit: () => ({}) }) });
    await other.conversation.sendMessage('good words');
    await other.conversation.run();
    expect(await other.conversation.settings.generateTitle()).toBe('A title');
    expect(asked).toEqual(['good words']);
  });

  test('a generated title is no event, and its cost is counted in its commit', async () => {
    const { conversation } = await play({ title: () => 'A title' });
    await conversation.sendMessage('Hi');
    const before = conversation.events.length;
    await conversation.settings.generateTitle();
    expect(conversation.events.length).toBe(before);
    const commits = await Array.fromAsync(conversation.history.commits());
    expect(commits.at(-1)).toMatchObject({ patch: { set: { title: 'A title' } }, records: [{ usageId: 'title' }] });
    expect(conversation.state.stats['title']).toMatchObject({ calls: 1 });
  });

  test.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['says nothing', () => ' \n'],
    ['cannot', undefined],
  ])(
    'a generated title is the shortened message when the model %s, and the log shows no trace of it',
    async (_, title) => {
      const { conversation } = await play(title ? { title } : {});
      await conversation.sendMessage('Please look into why the nightly build is so slow since last week');
      const made = await conversation.settings.generateTitle({ maxLength: 30 });
      expect(made).toBe('Please look into why the…');
      expect(conversation.state.title).toBe(made);
      expect(await story(conversation)).toBe('system user');
      expect(conversation.state.executionStatus).toBe('idle');
    },
  );

  test('P9: a title is the beginning of the message when the model fails, and a warning says why', async () => {
    const { conversation } = await play(
      { title: () => Promise.reject(new Error('the key s3cr3t-v4lue is refused')) },
      { secrets: { TOKEN: 's3cr3t-v4lue' } },
      { secrets: (options) => new FakeVault(options) },
    );
    await conversation.sendMessage('Hello there');
    const warned = warningOf(conversation.id);
    expect(await conversation.settings.generateTitle()).toBe('Hello there');
    const warning = await warned;
    expect(warning.name).toBe('TitleWarning');
    expect(warning.message).toMatch(/the key .* is refused/);
    expect(warning.message).not.toContain('s3cr3t');
  });

  test.each([1, 2, 3, 7, 20, 50, 200])(
    'a generated title has at most %i whole characters, whatever the model says',
    async (maxLength) => {
      const family = '👨‍👩‍👧‍👦🇩🇪e\u0301 ';
      for (const said of [family.repeat(60), '']) {
        const { conversation } = await play({ title: () => said });
        await conversation.sendMessage(family.repeat(50));
        const made = await conversation.settings.generateTitle({ maxLength });
        expect(made.length).toBeLessThanOrEqual(maxLength);
        expect(made.length).toBeGreaterThan(0);
        expect(isWhole(made.replace(/…$/, ''), family.repeat(60))).toBe(true);
      }
    },
  );

  test('a generated title is made of the first thousand characters at most', async () => {
    let asked = '';
    const { conversation } = await play({
      title: (message) => {
        asked = message;
        return 'Long';
      },
    });
    await conversation.sendMessage('word '.repeat(1000));
    await conversation.settings.generateTitle();
    expect(asked).toHaveLength(1000);
  });

  test('a generated title is made of the live branch, and of a message that has text', async () => {
    const asked: string[] = [];
    const { conversation } = await play({
      title: (message) => {
        asked.push(message);
        return message;
      },
    });
    await conversation.sendMessage('The first try');
    await conversation.run();
    await conversation.history.navigateTo(null);
    const image = imageContent('https://example.com/a.png');
    await conversation.sendMessage({ role: 'user', content: [image], thinking_blocks: [] });
    await conversation.sendMessage({ role: 'user', content: [image, textContent('The second')], thinking_blocks: [] });
    expect(await conversation.settings.generateTitle()).toBe('The second');
    expect(asked).toEqual(['The second']);
  });

  test('P9: values are masked in what the model of titles reads and in what it says', async () => {
    const key = 'tok_0123456789';
    const asked: string[] = [];
    const { conversation } = await play(
      {
        title: (message) => {
          asked.push(message);
          return `About ${key}`;
        },
      },
      { secrets: { TOKEN: key } },
      { secrets: (options) => new FakeVault(options) },
    );
    await conversation.sendMessage(`Rotate ${key}`);
    expect(await conversation.settings.generateTitle()).toBe('About <secret-hidden>');
    expect(asked).toEqual(['Rotate <secret-hidden>']);
    expect(JSON.stringify(await Array.fromAsync(conversation.history.commits()))).not.toContain(key);
  });

  test('P7: a generated title comes during a run, and neither delays the other', async () => {
    const thinking = gate();
    const making = gate();
    const { conversation } = await play({
      think: async () => {
        await thinking.pass();
        return 'done';
      },
      title: async () => {
        await making.pass();
        return 'Soon';
      },
    });
    await conversation.sendMessage('Hi');
    const running = conversation.run();
    await thinking.reached;
    const title = conversation.settings.generateTitle();
    await making.reached;
    await conversation.sendMessage('Still there?');
    await conversation.settings.setTags({ still: 'there' });
    making.open();
    expect(await title).toBe('Soon');
    expect(conversation.state.executionStatus).toBe('running');
    thinking.open();
    expect((await running).status).toBe('finished');
  });

  test('a generated title does not replace a title that was set meanwhile', async () => {
    const making = gate();
    const { conversation } = await play({
      title: async () => {
        await making.pass();
        return 'Generated';
      },
    });
    await conversation.sendMessage('Hi');
    const title = conversation.settings.generateTitle();
    await making.reached;
    await conversation.settings.setTitle('Mine');
    making.open();
    expect([await title, conversation.state.title]).toEqual(['Mine', 'Mine']);
  });

  test('a generated title replaces an earlier one', async () => {
    const { conversation } = await play({ title: () => 'New' });
    await conversation.sendMessage('Hi');
    await conversation.settings.setTitle('Old');
    expect(await conversation.settings.generateTitle()).toBe('New');
  });

  test('P13: a generated title needs a message and a length that a title can have', async () => {
    const { conversation, store } = await play({ title: () => 'Never' });
    const { appends } = store;
    await expect(conversation.settings.generateTitle()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await conversation.sendMessage('Hi');
    for (const maxLength of [0, -1, 1.5, 201, Number.NaN, '50' as never])
      await expect(conversation.settings.generateTitle({ maxLength })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect([store.appends, conversation.state.title]).toEqual([appends + 1, null]);
  });

  test('an abort of a title passes through untouched, and closing rejects CLOSED', async () => {
    const asked: (() => void)[] = [];
    const { conversation } = await play({
      title: () => {
        asked.pop()?.();
        return never();
      },
    });
    await conversation.sendMessage('Hi');
    const begin = (signal?: AbortSignal): { readonly title: Promise<string>; readonly reached: Promise<void> } => {
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.push(resolve);
      return { title: conversation.settings.generateTitle(signal ? { signal } : {}), reached: promise };
    };
    const controller = new AbortController();
    const reason = new Error('enough');
    const aborted = begin(controller.signal);
    await aborted.reached;
    controller.abort(reason);
    await expect(aborted.title).rejects.toBe(reason);
    const closed = begin();
    await closed.reached;
    const [rejected] = await Promise.allSettled([closed.title, conversation.close()]);
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'CLOSED' } });
    expect(conversation.state.title).toBe(null);
  });
});
