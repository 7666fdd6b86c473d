import { createConversationFactory, isConversationError } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { remote } from '@conv/remote';
import { call, createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { execa } from 'execa';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { newFolder } from '../new-folder.ts';
import {
  agentOf,
  answering,
  hasEngine,
  logOf,
  named,
  newName,
  podman,
  remains,
  userFolder,
  workspaceWith,
} from './engine.ts';

const Conversation = createConversationFactory({ runtimes: [remote()] });

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script: answering, apiKey: 'k', host: '0.0.0.0' });
});

afterAll(() => model.close());

describe.skipIf(!hasEngine)('a workspace in a container, on an engine with the image', () => {
  test('a conversation calls a tool in a container that starts with it and goes with it', async () => {
    const workspace = workspaceWith();
    await using conversation = await Conversation({ workspace, agent: agentOf(model) });
    await conversation.sendMessage('What is the answer?');
    await conversation.run();
    expect(await conversation.finalResponse()).toContain('It said: 42');
    await conversation.close();
    expect(await remains(workspace.name)).toHaveLength(2);
    await workspace.close();
    expect(await remains(workspace.name)).toEqual([]);
  });

  test('agents write into the given folder as its owner', async () => {
    const folder = userFolder();
    await using workspace = workspaceWith({ folder });
    const server = await workspace.start();
    const { stdout } = await server.executeCommand('pwd; id -u; echo new > file');
    expect(stdout.split('\n').slice(0, 2)).toEqual(['/workspace', '1234']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('new\n');
  });

  test('agents commit to the repository of the folder, and change neither its hooks nor its settings', async () => {
    const folder = userFolder();
    const git = async (...args: readonly string[]): Promise<void> =>
      void (await execa('git', ['-C', folder, ...args], { env: { GIT_CONFIG_GLOBAL: '/dev/null' } }));
    await git('init', '--quiet');
    for (const name of ['.', ...readdirSync(folder, { encoding: 'utf8', recursive: true })])
      if (process.getuid?.() === 0) chownSync(join(folder, name), 1234, 1234);
    const place = { ...named(), folder, keep: 'stopped' } as const;
    const first = workspaceWith(place);
    const server = await first.start();
    const planting = 'touch .git/hooks/pre-commit; git config core.fsmonitor x; mv .git away; rm -r .git/hooks';
    const { stderr } = await server.executeCommand(planting);
    expect(stderr.match(/Read-only file system|Device or resource busy/g)?.length).toBeGreaterThan(3);
    const name = '-c user.name=a -c user.email=a@b';
    const { stdout } = await server.executeCommand(`git ${name} commit -qm one --allow-empty && git log --format=%s`);
    expect(stdout).toBe('one\n');
    await first.close();
    // something that was mounted is gone
    rmSync(join(folder, '.git'), { recursive: true });
    await using again = workspaceWith({ ...place, keep: 'removed' });
    const { stdout: listed } = await (await again.start()).executeCommand('ls -A');
    expect(listed).toBe('');
  });

  test('settings that the owner of a repository changes can only be read again from the next start on', async () => {
    const folder = userFolder();
    const git = async (...args: readonly string[]): Promise<void> =>
      void (await execa('git', ['-C', folder, ...args], { env: { GIT_CONFIG_GLOBAL: '/dev/null' } }));
    await git('init', '--quiet');
    for (const name of ['.', ...readdirSync(folder, { encoding: 'utf8', recursive: true })])
      if (process.getuid?.() === 0) chownSync(join(folder, name), 1234, 1234);
    const place = { ...named(), folder, keep: 'stopped' } as const;
    const first = workspaceWith(place);
    await first.start();
    // git puts a new file in the place of the old one
    await git('config', '--file', '.git/config', 'user.name', 'owner');
    if (process.getuid?.() === 0) chownSync(join(folder, '.git/config'), 1234, 1234);
    await first.close();
    await using again = workspaceWith({ ...place, keep: 'removed' });
    const { stderr } = await (await again.start()).executeCommand('git config user.name && echo >> .git/config');
    expect(stderr).toContain('Read-only file system');
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).toContain('owner');
  });

  test('files go into the container and come back', async () => {
    await using workspace = workspaceWith();
    const server = await workspace.start();
    const path = `${workspace.workingDir}/note.txt`;
    await server.upload(path, 'a note');
    expect(new TextDecoder().decode(await server.download(path))).toBe('a note');
  });

  test('a port of a program in the container is reached at its address', async () => {
    await using workspace = workspaceWith({ ports: [3000] });
    const server = await workspace.start();
    const program = `require('http').createServer((_, answer) => answer.end('from inside')).listen(3000)`;
    await server.executeCommand(`node -e "${program}" > /dev/null 2>&1 &`);
    const address = await workspace.addressOf(3000);
    await expect.poll(() => fetch(address).then((answer) => answer.text(), String)).toBe('from inside');
  });

  test('P1: a stopped container keeps its conversations for the next workspace of its name', async () => {
    const place = { ...named(), keep: 'stopped' } as const;
    const first = workspaceWith(place);
    const conversation = await Conversation({ workspace: first, agent: agentOf(model) });
    await conversation.sendMessage('What is the answer?');
    await conversation.run();
    await conversation.close();
    await first.close();
    await using last = workspaceWith({ ...place, keep: 'removed' });
    await using again = await Conversation({ workspace: last, id: conversation.id, create: 'never' });
    expect(await again.finalResponse()).toContain('It said: 42');
  });

  test('P4: a run goes on after its container was killed and started again', async () => {
    await using workspace = workspaceWith({ ...named() });
    const turns = [call('terminal', { command: 'touch /data/began; sleep 600', timeout: 600 }), say('It was cut off.')];
    await using slow = await createModelServer({ script: turns, apiKey: 'k', host: '0.0.0.0' });
    await using conversation = await Conversation({ workspace, agent: agentOf(slow) });
    await conversation.sendMessage('Wait.');
    const run = conversation.run();
    await expect.poll(() => podman('exec', workspace.name, 'ls', '/data')).toContain('began');
    await podman('kill', '--signal', 'KILL', workspace.name);
    await workspace.start();
    await run;
    expect(await conversation.finalResponse()).toBe('It was cut off.');
    const events = await conversation.events.slice(0);
    expect(events.filter((event) => isEvent(event, 'ActionEvent'))).toHaveLength(1);
  });

  test('another process finds a running container by its name', async () => {
    const place = { ...named(), keep: 'running' } as const;
    const first = workspaceWith(place);
    await (await first.start()).upload(`${first.workingDir}/note.txt`, 'left here');
    await first.close();
    const program = fileURLToPath(new URL('read-note.ts', import.meta.url));
    const { stdout } = await execa(process.execPath, [program, JSON.stringify(place)]);
    expect(stdout).toBe('left here');
    expect(await remains(place.name)).toEqual([]);
  });

  test('a program with another secret neither gets into a container nor ends it', async () => {
    const name = newName();
    await using workspace = workspaceWith(named(name));
    const server = await workspace.start();
    const stranger = workspaceWith(named(name));
    const denied = stranger.start();
    await expect(denied).rejects.toSatisfy((error) => isConversationError(error, 'DENIED'));
    await stranger.close();
    expect(await server.alive()).toBe(true);
  });

  test('the remains of a killed program go at the next start of another', async () => {
    const name = newName();
    const program = fileURLToPath(new URL('start-and-die.ts', import.meta.url));
    await execa(process.execPath, [program, JSON.stringify(named(name))], { reject: false });
    expect(await remains(name)).toHaveLength(2);
    await using workspace = workspaceWith();
    await workspace.start();
    expect(await remains(name)).toEqual([]);
  });

  test('a container whose program was killed ends by itself with all that runs in it', async () => {
    const place = { ...named(), executor: true, keep: 'stopped', abandonedTimeout: 2000 } as const;
    const program = fileURLToPath(new URL('start-and-die.ts', import.meta.url));
    await execa(process.execPath, [program, JSON.stringify(place)], { reject: false });
    expect(await remains(place.name)).toHaveLength(2);
    await expect.poll(() => podman('ps', '--format', '{{.Names}}')).not.toContain(place.name);
    expect(await logOf(place.name)).toContain('abandoned');
    await workspaceWith(place).remove();
    expect(await remains(place.name)).toEqual([]);
  });

  test('a container whose program lives goes on, however short the time for which it waits', async () => {
    await using workspace = workspaceWith({ abandonedTimeout: 4000 });
    const server = await workspace.start();
    // more visits than it waits for
    await expect.poll(() => logOf(workspace.name)).toMatch(/(?:api\/file\/home.*){6}/s);
    expect(await logOf(workspace.name)).not.toContain('abandoned');
    expect(await server.alive()).toBe(true);
  });

  test('the key of the server stands nowhere in the container and its description', async () => {
    await using workspace = workspaceWith();
    const server = await workspace.start();
    const key = server.connect().connection.headers['x-session-api-key'] ?? '';
    expect(key).toHaveLength(43);
    expect(await podman('inspect', workspace.name)).not.toContain(key);
    const found = await podman('exec', workspace.name, 'sh', '-c', `grep -rls '${key}' /data /tmp /run /dev/shm; true`);
    expect(found).toBe('');
  });

  test('a container whose server cannot start is named with its last lines, and goes', async () => {
    const workspace = workspaceWith({ environment: { CONV_STORE: 'nonsense:' } });
    await expect(workspace.start()).rejects.toThrow(
      /\[SERVER_FAILED\] the container .+ ended with status 2.+CONV_STORE/s,
    );
    await workspace.close();
    expect(await remains(workspace.name)).toEqual([]);
  });

  test('an image that the engine does not have is named', async () => {
    const workspace = workspaceWith({ image: 'localhost/no-such-image' });
    await expect(workspace.start()).rejects.toThrow(/\[NOT_FOUND\].+no-such-image/);
    await workspace.close();
    expect(await remains(workspace.name)).toEqual([]);
  });

  test('a start that is aborted rejects with the reason, and leaves nothing behind a close', async () => {
    const workspace = workspaceWith();
    const start = workspace.start({ signal: AbortSignal.timeout(300) });
    await expect(start).rejects.toMatchObject({ name: 'TimeoutError' });
    await workspace.close();
    expect(await remains(workspace.name)).toEqual([]);
  });

  test('a container of another program is refused by its name', async () => {
    const name = newName();
    await podman('create', '--name', name, process.env['CONV_IMAGE'] ?? '');
    const workspace = workspaceWith(named(name));
    await expect(workspace.start()).rejects.toThrow(/\[EXISTS\]/);
    await workspace.close();
    expect(await remains(name)).toEqual([name]);
    await podman('rm', name);
  });

  test('a volume of another program is refused by its name, and stays', async () => {
    const name = newName();
    await podman('volume', 'create', `${name}-data`);
    const workspace = workspaceWith(named(name));
    await expect(workspace.start()).rejects.toThrow(/\[EXISTS\] expected no volume of others/);
    await workspace.close();
    expect(await remains(name)).toEqual([`${name}-data`]);
    await podman('volume', 'rm', `${name}-data`);
  });

  test('P1: the volume of a container that was removed by hand stays when the next start fails', async () => {
    const name = newName();
    await podman('volume', 'create', '--label', 'conv.workspace=true', `${name}-data`);
    const workspace = workspaceWith({ ...named(name), keep: 'stopped', image: 'localhost/no-such-image' });
    await expect(workspace.start()).rejects.toThrow(/\[NOT_FOUND\]/);
    await workspace.close();
    expect(await remains(name)).toEqual([`${name}-data`]);
    await podman('volume', 'rm', `${name}-data`);
  });

  test('an option that differs from the one of the container is named', async () => {
    const place = { ...named(), keep: 'stopped' } as const;
    await using workspace = workspaceWith({ ...place, keep: 'removed' });
    await workspace.start();
    const other = workspaceWith({ ...place, limits: { processes: 7 } });
    await expect(other.start()).rejects.toThrow(/\[INVALID_INPUT\] ContainerWorkspace: limits/);
    await other.close();
  });

  test('a container is stopped and removed by its name, also with other options than it was made with', async () => {
    const place = { ...named(), keep: 'stopped' } as const;
    await using workspace = workspaceWith({ ...place, keep: 'running' });
    await workspace.start();
    const others = { ...place, image: 'localhost/no-such-image', limits: { processes: 7 } };
    await workspaceWith(others).stop();
    expect(await podman('ps', '--format', '{{.Names}}')).not.toContain(place.name);
    expect(await remains(place.name)).toHaveLength(2);
    await workspaceWith(others).remove();
    expect(await remains(place.name)).toEqual([]);
  });

  test('a folder that is not there is named before anything starts', async () => {
    const workspace = workspaceWith({ folder: join(newFolder(), 'nowhere') });
    await expect(workspace.start()).rejects.toThrow(/\[NOT_FOUND\] expected a folder at .+nowhere/);
    await workspace.close();
    expect(existsSync('nowhere')).toBe(false);
    expect(await remains(workspace.name)).toEqual([]);
  });
});
