// A page with the chat of `useChat`, without a framework. A person approves an edit, the server is killed in the middle of the answer, and the
// page goes on by itself. With `--open` the page is yours: send a message, approve, and kill the server while it answers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import process from 'node:process';

import { call, hang, say, toolResults, type Script } from '@conv/testing-model-server';

import { isOpen, playPage } from './support/play-page.ts';
import { rehearse } from './support/rehearse.ts';

const create = { command: 'create', path: 'notes.txt', file_text: 'buy milk\n', security_risk: 'MEDIUM' };
const answer = ['Your ', 'note ', 'is ', 'written.'];
const played: Script = [call('file_editor', create), hang(say(answer)), say(answer)];
const forPeople: Script = (request) => {
  const [result] = toolResults(request, 'since-last-user-message');
  return result
    ? say(answer, { chunkDelay: 1000 })
    : call('file_editor', { ...create, path: `note-${Date.now()}.txt` });
};

await using rehearsal = await rehearse(isOpen ? forPeople : played);
await using playing = await playPage('chat', rehearsal);
const { page, killServer } = playing;

await page.getByRole('button', { name: 'Send' }).click();
await page.getByRole('button', { name: 'Approve' }).click();
await page.getByText('Your note').waitFor();
process.stdout.write('The page has half of the answer. The server is killed.\n');
await killServer();
await page.getByText('Your note is written.').waitFor();
const lines = await page.locator('li').allTextContents();
process.stdout.write(`${lines.join('\n')}\n`);
assert.deepEqual([lines.length, lines.at(0), lines.at(-1)], [3, 'Note: buy milk', answer.join('')]);
assert.equal(await readFile(`${rehearsal.workspace}/notes.txt`, 'utf8'), 'buy milk\n');

await page.reload();
await page.getByText('Your note is written.').waitFor();
assert.deepEqual(await page.locator('li').allTextContents(), lines);
process.stdout.write('A page that is loaded again shows the same.\n');
