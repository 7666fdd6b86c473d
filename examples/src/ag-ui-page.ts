// A plain page of AG-UI with the published client: text, calls, and an interrupt that a person decides on. With `--open` the page is yours.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import process from 'node:process';

import { call, say, toolResults, type Script } from '@conv/testing-model-server';

import { isOpen, playPage } from './support/play-page.ts';
import { rehearse } from './support/rehearse.ts';

const script: Script = (request) => {
  const [result] = toolResults(request, 'since-last-user-message');
  if (result) return say(['Your ', 'note ', 'is ', 'written.'], isOpen ? { chunkDelay: 1000 } : {});
  const path = isOpen ? `note-${Date.now()}.txt` : 'notes.txt';
  const create = { command: 'create', path, file_text: 'buy milk\n', security_risk: 'MEDIUM' };
  return call('file_editor', create, { text: 'I write it down.' });
};

await using rehearsal = await rehearse(script);
await using playing = await playPage('ag-ui', rehearsal);
const { page, killServer } = playing;

await page.getByRole('button', { name: 'Send' }).click();
await page.getByRole('button', { name: 'Approve' }).waitFor();
process.stdout.write('The page asks. The server is killed while it waits.\n');
await killServer();
await page.getByRole('button', { name: 'Approve' }).click();
await page.getByText('Your note is written.').waitFor();
const lines = await page.locator('li').allTextContents();
process.stdout.write(`${lines.join('\n')}\n`);
assert.deepEqual([lines.length, lines[1], lines.at(-1)], [4, 'I write it down.', 'Your note is written.']);
assert.equal(await readFile(`${rehearsal.workspace}/notes.txt`, 'utf8'), 'buy milk\n');

await page.reload();
await page.getByText('Your note is written.').waitFor();
assert.deepEqual(await page.locator('li').allTextContents(), lines);
process.stdout.write('A page that is loaded again shows the same.\n');
