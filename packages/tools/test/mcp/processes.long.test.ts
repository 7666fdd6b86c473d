import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { mcpServers } from '../../src/index.ts';
import { temporaryFolder, textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { sessionServer } from './support/http-server.ts';
import { everything, filesystem, openServers, scripted } from './support/open-servers.ts';
import { dies, isAlive, isReaped, lines, processesWith } from './support/processes.ts';

interface Look {
  readonly pid: number;
  readonly child: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const read = (text: string): Look => JSON.parse(text) as Look;

describe('the official servers', () => {
  test('the everything server lists its tools and answers with text, sums, images and structure', async () => {
    const { call, names } = await openServers({ everything: everything('stdio') });
    expect(names()).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'get-structured-content']));
    expect(textOf(await call('echo', { message: 'hi' }))).toBe('Echo: hi');
    expect(textOf(await call('get-sum', { a: 20, b: 22 }))).toContain('42');
    const image = await call('get-tiny-image');
    expect(image.content.some((part) => 'image_urls' in part && part.image_urls[0]?.startsWith('data:image/png'))).toBe(
      true,
    );
    expect(textOf(await call('get-structured-content', { location: 'Chicago' }))).toContain('"temperature"');
    await expect(call('get-sum', { a: 'x' })).rejects.toThrow('b: is required; a: must be a number');
  });

  test('the filesystem server reads and writes files, and refuses what is outside its folder', async () => {
    const folder = realpathSync(temporaryFolder());
    const { call, tool } = await openServers({ files: filesystem(folder) }, { workingDirectory: folder });
    expect(tool('read_text_file').resources({})).toEqual([]);
    await call('write_file', { path: join(folder, 'a.txt'), content: 'written' });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('written');
    expect(textOf(await call('read_text_file', { path: join(folder, 'a.txt') }))).toContain('written');
    expect((await call('read_text_file', { path: '/etc/passwd' })).isError).toBe(true);
  });
});

describe('a process', () => {
  test('a process works in the folder of the conversation, with its configuration and few variables of ours', async () => {
    process.env['CONV_TEST_API_KEY'] = 'not for servers';
    onTestFinished(() => void delete process.env['CONV_TEST_API_KEY']);
    const secrets = fakeSecrets({ TOKEN: 'tok-value-1' });
    const env = { MODE: 'test', KEY: '${TOKEN}', OTHER: '${NONE:-fallback}' };
    const { command, args } = scripted();
    const { call, folder } = await openServers(
      { s: { command, args, env } },
      { secrets: { ...secrets, masker: fakeSecrets({}).masker } },
    );
    const look = read(textOf(await call('look')));
    expect(realpathSync(look.cwd)).toBe(realpathSync(folder));
    expect(look.env).toMatchObject({ MODE: 'test', KEY: 'tok-value-1', OTHER: 'fallback', PATH: process.env['PATH'] });
    expect(Object.keys(look.env)).not.toContain('CONV_TEST_API_KEY');
    const allowed = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];
    const ofTheSystem = Object.keys(look.env).filter((name) => !name.startsWith('__'));
    expect(ofTheSystem.filter((name) => !allowed.includes(name)).sort()).toEqual(['KEY', 'MODE', 'OTHER']);
  });

  test('a process is gone after close, with what it started', async () => {
    const { call, provided } = await openServers({ s: scripted() });
    const { pid, child } = read(textOf(await call('look', { at: 'children' })));
    expect([isAlive(pid), isAlive(child)]).toEqual([true, true]);
    await provided.close();
    expect(isAlive(pid)).toBe(false);
    await dies(child);
    await provided.close();
  });

  test('a process that will not end is killed at close', async () => {
    const file = join(temporaryFolder(), 'pid');
    const { provided } = await openServers({ s: scripted('stubborn', file) });
    const [pid = 0] = (await lines(file)).map(Number);
    expect(processesWith(file)).toEqual(process.platform === 'linux' ? [pid] : []);
    await provided.close();
    expect(isAlive(pid)).toBe(false);
  });

  test('a process is killed when connecting is interrupted, which rejects with the reason', async () => {
    const file = join(temporaryFolder(), 'pid');
    const controller = new AbortController();
    const opening = openServers({ s: scripted('silent', file), t: scripted() }, { signal: controller.signal });
    opening.catch(() => undefined);
    const [pid] = (await lines(file)).map(Number);
    const reason = new Error('stop');
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
    await dies(pid ?? 0);
  });

  test('a process is killed when another server cannot be used', async () => {
    const file = join(temporaryFolder(), 'pid');
    await expect(openServers({ s: scripted('plain', file), t: scripted('dies') })).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      servers: ['t'],
    });
    const [pid] = (await lines(file)).map(Number);
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  test('a process is gone with its children when our process ends or is killed', async () => {
    const folder = temporaryFolder();
    for (const end of ['process.exit(0)', 'process.kill(process.pid, "SIGKILL")']) {
      const file = join(folder, crypto.randomUUID());
      const program = join(folder, `${crypto.randomUUID()}.mjs`);
      const entry = join(import.meta.dirname, '../../dist/index.js');
      const server = JSON.stringify({ s: scripted('stubborn') });
      writeFileSync(
        program,
        `import { writeFileSync } from 'node:fs';
         import { mcpServers } from ${JSON.stringify(entry)};
         const session = { conversationId: crypto.randomUUID(), workingDirectory: ${JSON.stringify(folder)} };
         const { signal } = new AbortController();
         const { tools } = await mcpServers(${server}).provide(session, { changed() {}, signal });
         const look = tools.find(({ name }) => name === 'look');
         const { content } = await look.execute({ at: 'children' }, { ...session, signal, toolCallId: 'a' });
         writeFileSync(${JSON.stringify(file)}, content[0].text);
         ${end};`,
      );
      const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'] });
      await new Promise((resolve) => child.once('exit', resolve));
      const look = read((await lines(file))[0] ?? '');
      await Promise.all([dies(look.pid), dies(look.child)]);
    }
  });

  test('a process that dies in a call makes it an error, and the next call has a new one', async () => {
    const { call } = await openServers({ s: scripted() });
    const { pid } = read(textOf(await call('look')));
    const result = await call('crash');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      'The MCP server s did not answer: its process ended with code 3. What it did until then is not known.',
    );
    expect(read(textOf(await call('look'))).pid).not.toBe(pid);
  });

  test('a process that was killed between calls is started again, once for calls at the same time', async () => {
    const file = join(temporaryFolder(), 'pids');
    const { call } = await openServers({ s: scripted('plain', file) });
    const [pid = 0] = (await lines(file)).map(Number);
    process.kill(pid, 'SIGKILL');
    await isReaped(pid);
    const answers = await Promise.all([1, 2, 3].map((number) => call('say', { text: String(number) })));
    expect(answers.map(textOf)).toEqual(['1', '2', '3']);
    expect(await lines(file, 2)).toHaveLength(2);
  });

  test('a process that cannot be started again makes the call an error that says why', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'server');
    const { command, args } = scripted();
    writeFileSync(program, `#!/bin/sh\nexec ${command} ${args.join(' ')}\n`, { mode: 0o755 });
    const { call } = await openServers({ s: { command: program } });
    const { pid } = read(textOf(await call('look')));
    writeFileSync(program, '#!/bin/sh\necho "no more" >&2\nexit 4\n');
    process.kill(pid, 'SIGKILL');
    await isReaped(pid);
    const result = await call('look');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /cannot be used now: its process ended with code 4\. It said last: no more\. Nothing was done\.$/,
    );
  });

  test('a process that speaks the newest revision alone is understood', async () => {
    const { call } = await openServers({ s: scripted('modern') });
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  });

  test('a process whose conversation is closed answers no call', async () => {
    const { call, provided } = await openServers({ s: scripted() });
    await provided.close();
    const result = await call('say', { text: 'hi' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('it was closed with the conversation');
  });
});

describe('a server that cannot be used', () => {
  test('a server that does not answer rejects TIMEOUT that names it and says what may help', async () => {
    const file = join(temporaryFolder(), 'pid');
    const servers = { quiet: scripted('silent', file), good: { url: (await sessionServer()).url } };
    const error: unknown = await openServers(servers, { connectTimeout: 2 }).catch((thrown: unknown) => thrown);
    // on a busy machine the other server may be late too
    expect(error).toMatchObject({ code: 'TIMEOUT', servers: expect.arrayContaining(['quiet']) });
    expect((error as Error).message).toMatch(/quiet: it did not answer within 2 s.*connectTimeout/);
    // it may have been ended before it could write its number
    expect(processesWith(file)).toEqual([]);
  });

  test('a server that is not there rejects CONNECT_FAILED without its command', async () => {
    const error: unknown = await openServers({
      a: { command: 'no-such-program-here', args: ['--key=tok-value-1'] },
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONNECT_FAILED', servers: ['a'] });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/no-such-program|tok-value/);
    expect((error as Error).message).toContain('its command was not found');
    expect((error as Error).cause).toBeUndefined();
  });

  test('P9: a server that cannot be used shows its last words, without configured values and secrets', async () => {
    const env = { API_KEY: 'key-value-1 ${TOKEN}' };
    const secrets = fakeSecrets({ TOKEN: 'tok-value-1' });
    const error: unknown = await openServers({ a: { ...scripted('dies'), env } }, { secrets }).catch(
      (thrown: unknown) => thrown,
    );
    const { message } = error as Error;
    expect(message).toMatch(
      /a: its process ended with code 7\. It said last: starting up\ncannot read <secret-hidden>/,
    );
    expect(JSON.stringify(error) + message).not.toMatch(/key-value|tok-value/);
  });

  test('a server that needs a secret without a value names the secret', async () => {
    const secrets = fakeSecrets({}, [{ name: 'TOKEN', reason: 'no key' }]);
    const needs = { ...scripted(), env: { KEY: '$TOKEN' } };
    await expect(openServers({ a: needs }, { secrets })).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      message: expect.stringContaining('a: secrets that it needs have no value here: TOKEN (no key)'),
    });
    const { names } = await openServers({ a: { ...scripted(), env: { KEY: '${TOKEN:-none}' } } }, { secrets });
    expect(names()).toContain('say');
  });

  test('a failure of several servers names all that fail', async () => {
    const servers = { a: { command: 'no-such-program-here' }, b: scripted('dies'), c: scripted() };
    await expect(openServers(servers)).rejects.toMatchObject({ code: 'CONNECT_FAILED', servers: ['a', 'b'] });
  });
});

test('connecting is not begun when it is interrupted already', async () => {
  const reason = new Error('stop');
  const session = { conversationId: crypto.randomUUID(), workingDirectory: temporaryFolder() };
  const providing = mcpServers({ s: scripted() }).provide(session, {
    changed: () => undefined,
    signal: AbortSignal.abort(reason),
  });
  await expect(providing).rejects.toBe(reason);
});
