import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The built page; `src` has no built files. */
const FOLDER = new URL('../dist/page/', import.meta.url).pathname;

test('the built page names its assets by absolute paths below /studio/, and each is there', async () => {
  const html = await readFile(join(FOLDER, 'index.html'), 'utf8');
  const names = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, name = '']) => name);
  expect(names.some((name) => name.endsWith('.js'))).toBe(true);
  for (const name of names) {
    expect(name).toMatch(/^\/studio\/assets\/[\w.-]+$/);
    await access(join(FOLDER, name.slice('/studio/'.length)));
  }
});

test('the built page has no inline script, style or handler, which its policy would refuse', async () => {
  const html = await readFile(join(FOLDER, 'index.html'), 'utf8');
  expect(html).toContain('<script type="module"');
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src=)/);
});
