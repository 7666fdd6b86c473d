import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Carrier } from './carrier.ts';
import { SIMPLE } from './ways.ts';

/** Prints every value in the encodings that are named. */
const ENCODE = `
import { readdirSync, readFileSync } from 'node:fs';
const base64 = (text) => Buffer.from(text).toString('base64');
const json = JSON.stringify;
const ascii = (text) => json(text).replace(/[^\\0-~]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));
const encoders = {
  'out-json': json,
  'out-json-json': (value) => json(json({ [value]: value })),
  'out-json-ascii': ascii,
  'out-url': encodeURIComponent,
  'out-form': (value) => new URLSearchParams({ value }).toString(),
  'out-base64': base64,
  'out-base64-one': (value) => base64('u' + value + 'xy'),
  'out-base64-two': (value) => base64('u:' + value + 'x'),
  'out-base64-wrapped': (value) => base64('three' + value).replace(/.{76}/g, '$&\\n'),
  'out-base64url': (value) => Buffer.from('u' + value).toString('base64url'),
  'out-hex': (value) => Buffer.from(value).toString('hex'),
};
for (const way of process.argv.slice(2)) {
  for (const id of readdirSync('values')) console.log('@' + way + '/' + id + '=' + encoders[way](readFileSync('values/' + id, 'utf8')));
}
`;

/** Prints all values again and again, more than 300 KB, so that every border of a chunk and every cut goes through some. */
const FLOOD = `
import { readdirSync, readFileSync } from 'node:fs';
const values = readdirSync('values').map((id) => [id, readFileSync('values/' + id, 'utf8')]);
let text = '';
for (let round = 0; text.length < 320_000; round++) {
  for (const [id, value] of values) text += '@flood/' + id + '=' + value + '.'.repeat((round * 7) % 13);
}
// breaks off within the last value
process.stdout.write(text + '@flood-end/long=' + readFileSync('values/long', 'utf8').slice(0, 400));
`;

/** The files of the user, in a folder that is not searched: they hold the values, and commands print them. */
export function fillWorkspace(folder: string, carrier: Carrier): void {
  mkdirSync(join(folder, 'values'), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  for (const id of carrier.ids()) write(`values/${id}`, carrier.value(id));
  write('all.txt', carrier.all('cat'));
  write('view.txt', carrier.all('editor-view'));
  write('replace.txt', `first line\n${carrier.all('editor-replace')}last line\n`);
  write('idle.txt', carrier.all('idle', SIMPLE));
  write('encode.mjs', ENCODE);
  write('flood.mjs', FLOOD);
  write('hook-said.txt', carrier.all('hook-stdout'));
  write('hook-complained.txt', carrier.all('hook-stderr'));
  write('hook-async.txt', carrier.all('hook-async'));
  write('hook-refused.txt', carrier.all('hook-refused'));
  write('hook-context.json', JSON.stringify({ additionalContext: carrier.all('hook-context') }));
  write('hook-denied.json', JSON.stringify({ decision: 'deny', reason: carrier.all('hook-denied') }));
  for (const pipe of ['go', 'printed', 'hooked']) spawnSync('mkfifo', [join(folder, pipe)]);
}
