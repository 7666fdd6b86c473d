import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { leaks } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { TestBrowser } from './support/browser.ts';
import { newFolder } from './support/folders.ts';
import { ServerBehind } from './support/server-behind.ts';
import { finishedConversation, modelThatSays, studioFor } from './support/studio.ts';

/** Uses of studio, by what becomes of it. */
const uses: Readonly<Record<string, () => Promise<unknown>>> = {
  'ran a conversation in a folder, and was closed under its socket': async () => {
    const { server, environment } = await modelThatSays('Hello back.');
    const folder = newFolder();
    const studio = await studioFor({ place: `fs:${folder}`, environment });
    const browser = await TestBrowser.opened(studio);
    const id = await finishedConversation(browser, folder);
    const { socket } = await browser.socket(`/sockets/session/${id}?after_seq=-1`);
    await studio.close();
    socket.terminate();
    await server.close();
  },
  'was closed under a socket and a request to a server': async () => {
    const behind = await ServerBehind.start(new ScriptedAgent({ script: new ModelScript([{ text: 'Hello back.' }]) }));
    const serverKey = { variable: 'THE_KEY' };
    const studio = await studioFor({ place: behind.url, environment: { THE_KEY: ServerBehind.key }, serverKey });
    const browser = await TestBrowser.opened(studio);
    const { body } = await browser.ask('POST', '/api/conversations', {
      body: { agent: { kind: 'Agent', llm: { model: 'm' }, tools: [] }, workspace: { working_dir: behind.folder } },
    });
    const { socket, first } = await browser.socket(`/sockets/session/${body['id'] as string}?after_seq=-1`);
    expect(JSON.parse(first)).toMatchObject({ type: 'sync' });
    const endless = request(new URL('/endless', studio.url), { headers: { cookie: browser.cookie ?? '' } });
    endless.on('error', () => {}).end();
    const [answer] = (await once(endless, 'response')) as [IncomingMessage];
    const cut = new Promise<void>((resolve) =>
      answer
        .on('error', () => {})
        .once('close', resolve)
        .resume(),
    );
    await studio.close();
    await cut;
    socket.terminate();
    await behind.stop();
  },
  'is in front of a server that is not there': async () => {
    const studio = await studioFor({ place: 'http://127.0.0.1:1', environment: {} });
    const browser = await TestBrowser.opened(studio);
    expect((await browser.ask('GET', '/api/conversations/search')).status).toBe(502);
    const { socket } = await browser.socket('/sockets/bash-events');
    socket.terminate();
    await studio.close();
  },
  'was refused its place': async () => {
    await expect(studioFor({ place: 'nonsense:' })).rejects.toThrow('expected the address of a store');
  },
};

test.each(Object.entries(uses))('nothing is held of a studio that %s', async (_, use) => {
  expect(await leaks(use, { warmUp: 1 })).toEqual({});
});
