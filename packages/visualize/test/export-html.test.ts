import { ConversationError } from '@conv/core';
import { expect, test } from 'vitest';
import { exportHtml } from '../src/index.ts';
import { unpackContent } from '../src/page/page-content.ts';
import { Log } from './log.ts';
import { pageSource } from './page-source.ts';
import { scene } from './scene.ts';

/** The content that a page carries. */
function contentIn(html: string): ReturnType<typeof unpackContent> {
  return unpackContent(/id="conv-content">([^<]+)</.exec(html)?.[1] ?? '');
}

test('a page carries every event as it is stored, with what had been spent at each point', async () => {
  const events = scene();
  const content = await contentIn(await exportHtml(pageSource(events)));
  expect(content.events).toEqual(events);
  expect(content.spending[0]).toEqual({ events: 2, cost: 0.01, tokens: 1000 });
});

test('a page names by their hashes the one script and the one style that may act in it', async () => {
  const html = await exportHtml(pageSource(scene()));
  expect(/content="(default-src [^"]+)"/.exec(html)?.[1]).toMatch(
    /^default-src 'none'; script-src 'sha256-[^' ]{44}'; style-src 'sha256-[^' ]{44}'; img-src data:; base-uri 'none'; form-action 'none'$/,
  );
});

test('text of others ends no element of a page', async () => {
  const hostile = '</title></script><script>alert(1)</script>';
  const html = await exportHtml(pageSource(new Log().user(hostile).events, { title: hostile }));
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html.match(/<\/script>/g)).toHaveLength(2);
});

test('a source without commits is a page without the spending at each point', async () => {
  const history = {
    // oxlint-disable-next-line require-yield
    async *commits() {
      throw new ConversationError('UNSUPPORTED', 'this server gives no commits');
    },
  };
  const { spending } = await contentIn(await exportHtml({ ...pageSource(scene()), history }));
  expect(spending).toEqual([]);
});

test('a value that is no conversation is refused by name', async () => {
  await expect(exportHtml('fs:conversations' as never)).rejects.toThrow(
    'exportHtml: source: expected a conversation, found a string',
  );
});
