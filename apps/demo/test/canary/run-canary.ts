import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { createModelServer } from '@conv/testing-model-server';

import { newFolder } from '../new-folder.ts';
import { canaryValues } from './canaries.ts';
import { Carrier } from './carrier.ts';
import { filesNow, FolderSamples, type Sample } from './folder-samples.ts';
import { createLookupServer } from './lookup-server.ts';
import { firstScript, secondScript } from './model-script.ts';
import type { Order, Places, Variant } from './order.ts';
import { createRecordingProxy } from './recording-proxy.ts';
import { scriptedModel } from './scripted-model.ts';
import { fillWorkspace } from './workspace.ts';

/** Destinations of bytes. */
export const media = ['disk', 'socket', 'console'] as const;
export type Medium = (typeof media)[number];

/** Everything that two processes wrote while secrets took every way through them. */
export interface Capture {
  /** Every file under the folders of conversations, of temporary files, of the user's home and of the processes themselves. */
  readonly disk: readonly Sample[];
  /** The bytes that they sent through their connections, without the two headers that carry a key. */
  readonly socket: readonly Sample[];
  /** Standard output and error. */
  readonly console: readonly Sample[];
  /** The failures of processes, and the errors in their requests. */
  readonly problems: readonly unknown[];
}

/** Milliseconds that a process may take, on machines that are busy with other tests. */
const TIMEOUT = 150_000;

const program = fileURLToPath(new URL('canary-process.ts', import.meta.url));

/** Lets a conversation live in one process and then in another. The values reach them through their channels alone. */
export async function runCanary(variant: Variant): Promise<Capture> {
  const carrier = new Carrier(canaryValues);
  const places = makePlaces();
  fillWorkspace(places.workspace, carrier);
  using watched = new FolderSamples(places.searched);
  const turns = [...firstScript(carrier, places.workspace), ...secondScript(carrier)];
  const scripted = scriptedModel(turns, carrier, () => watched.take());
  await using model = await createModelServer({
    script: scripted.script,
    apiKey: carrier.value('model-key'),
  });
  await using modelProxy = await createRecordingProxy(Number(new URL(model.url).port));
  await using lookup = await createLookupServer(carrier.value('lookup-header'), carrier.value('from-lookup'));
  await using lookupProxy = await createRecordingProxy(lookup.port);
  const order = {
    values: canaryValues,
    variant,
    places,
    modelUrl: `${modelProxy.origin}/v1`,
    lookupUrl: `${lookupProxy.origin}/token`,
    id: randomUUID(),
  };
  const console: Sample[] = [];
  const problems: unknown[] = [];
  for (const life of ['first', 'second'] as const) {
    const { code, written } = await live({ ...order, life }, () => watched.take());
    console.push({ file: `console of the ${life} process`, bytes: written });
    if (code !== 0) problems.push({ life, code, end: written.toString().slice(-3000) });
  }
  problems.push(...model.violations, ...(scripted.remaining > 0 ? [`${scripted.remaining} turns are left`] : []));
  const sent = [...modelProxy.sent, ...lookupProxy.sent].map((bytes, index) => ({
    file: `connection ${index}`,
    bytes: withoutKeyHeaders(bytes, carrier),
  }));
  return { disk: [...watched.samples, ...filesNow(places.searched)], socket: sent, console, problems };
}

function makePlaces(): Places {
  const folder = newFolder();
  const searched = join(folder, 'searched');
  const places = {
    searched,
    conversations: join(searched, 'conversations'),
    temporary: join(searched, 'temporary'),
    home: join(searched, 'home'),
    workspace: join(folder, 'workspace'),
  };
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  return places;
}

async function live(order: Order, onOutput: () => void): Promise<{ code: unknown; written: Buffer }> {
  const { home, temporary } = order.places;
  const child = fork(program, [], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: temporary, TERM: 'xterm', LANG: 'C.UTF-8' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: TIMEOUT,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => void chunks.push(chunk));
  child.stdout?.once('data', onOutput);
  const closed = once(child, 'close');
  child.send(order);
  const [code, signal] = (await closed) as [unknown, unknown];
  return { code: code ?? signal, written: Buffer.concat(chunks) };
}

/** A key is there to be sent to the server whose key it is, in the header for it and nowhere else. */
function withoutKeyHeaders(sent: Buffer, carrier: Carrier): Buffer {
  const text = sent
    .toString('latin1')
    .replaceAll(`authorization: Bearer ${carrier.value('model-key')}\r\n`, '')
    .replaceAll(`x-vault-token: ${carrier.value('lookup-header')}\r\n`, '');
  return Buffer.from(text, 'latin1');
}
