import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import type { JsonObject } from '@conv/core';
import { executeIn } from '@conv/remote';
import { sandbox, sandboxProblem } from '@conv/sandbox';
import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ConfinedWorkspace } from '../../src/executors/confined-workspace.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';

/** The executor of a conversation, and a way to run commands in it. */
interface Hands {
  readonly id: string;
  readonly folder: string;
  readonly workspace: ConfinedWorkspace;
  readonly run: (command: string) => Promise<string>;
}

/** Returns the hands of a new conversation; nothing has started yet. */
function newHands(): Hands {
  const id = crypto.randomUUID();
  const root = newFolder();
  const folder = join(root, 'project');
  mkdirSync(folder);
  const place = { sandbox: sandbox({ directory: join(root, 'homes') }), heard: () => undefined };
  const conversation = { id, workingDirectory: folder, sideDirectory: join(root, 'side'), limits: {} };
  const workspace = new ConfinedWorkspace(place, conversation);
  const hands = executeIn(workspace);
  onTestFinished(async () => {
    await hands.close();
    await workspace.close();
  });
  const run: Hands['run'] = async (command) => {
    const input = { command, is_input: false, reset: false };
    const wanted: JsonObject = { tool: 'terminal', input, secrets: {}, limits: {} };
    const context = { signal: new AbortController().signal };
    const { content } = await hands.executor.execute({ conversationId: id, workingDirectory: folder }, wanted, context);
    return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('');
  };
  return { id, folder, workspace, run };
}

/** Returns the processes of this machine that work in a folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

describe.skipIf((await sandboxProblem()) !== undefined)('the executor of a conversation in a sandbox', () => {
  test('a confined executor starts with its first request, and acts in the folder of the conversation', async () => {
    const { workspace, run, folder } = newHands();
    expect(workspace.pid).toBeUndefined();
    expect(await run('pwd; echo made > made')).toBe(folder);
    expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('made\n');
    expect(await run('X=kept')).toBe('');
    expect(await run('echo $X')).toBe('kept');
  });

  test('a confined executor is in no session of the server, whose terminal a program could open there', async () => {
    const { workspace, run } = newHands();
    await run('true');
    // behind the name, which may have blanks: state, parent, group, session
    const [, , , session] = readFileSync(`/proc/${workspace.pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
    expect(Number(session)).toBe(workspace.pid);
  });

  test('P9: a confined executor shows no file, process or socket of another conversation, and no key', async () => {
    const [one, other] = [newHands(), newHands()];
    writeFileSync(join(other.folder, 'note'), 'note of the other');
    await other.run('true');
    const client = (await other.workspace.start()).connect();
    const { headers } = client.connection;
    await client.close();
    expect(await one.run(`cat ${other.folder}/note`)).toContain('No such file');
    // in a file: a command's text is cut, and bubblewrap's own arguments grow with the paths of this machine
    await one.run(`(ls /tmp ~ /; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n') > seen`);
    const seen = readFileSync(join(one.folder, 'seen'), 'utf8');
    expect(seen).toContain('executor-worker');
    expect(seen).not.toContain(other.id);
    expect(seen).not.toContain(other.folder.split('/').at(-2));
    expect(seen).not.toContain(headers['x-session-api-key']);
    const own = (await one.workspace.start()).connect();
    expect(seen).not.toContain(own.connection.headers['x-session-api-key']);
    await own.close();
  });

  test('P9: a confined executor refuses the key of another conversation', async () => {
    const [one, other] = [newHands(), newHands()];
    const clients = [(await one.workspace.start()).connect(), (await other.workspace.start()).connect()] as const;
    const [{ connection: ours }, { connection: theirs }] = clients;
    const { dispatcher } = ours;
    if (!dispatcher) throw new Error('expected a dispatcher');
    const ask = async (headers: Readonly<Record<string, string>>): Promise<number> => {
      const url = `${ours.address.url}/api/executor/${one.id}`;
      const { statusCode, body } = await request(url, { method: 'DELETE', headers, dispatcher });
      await body.dump();
      return statusCode;
    };
    expect(await ask(theirs.headers)).toBe(401);
    expect(await ask(ours.headers)).toBe(200);
    await Promise.all(clients.map((client) => client.close()));
  });

  test('P5: a confined executor that is killed during a request reports an unknown outcome, and starts again', async () => {
    const { workspace, run, folder } = newHands();
    const kill = async (): Promise<void> => {
      const all = processesIn(folder);
      process.kill(workspace.pid ?? 0, 'SIGKILL');
      // until its last thread has ended, a process takes connections
      await eventually(() => all.every((pid) => !existsSync(`/proc/${pid}`)));
    };
    const running = run('touch started; sleep 4310').catch((error: unknown) => String(error));
    await eventually(() => existsSync(join(folder, 'started')));
    await kill();
    expect(await running).toContain('The outcome of this call is unknown');
    expect(await run('ls')).toBe('started');
    await kill();
    expect(await run('echo again')).toBe('again');
  });

  test('a confined executor acts for its conversation at a socket that its programs have removed', async () => {
    const { run } = newHands();
    expect(await run('rm /tmp/conv-*.socket; ls /tmp/*.socket')).toContain('No such file');
    expect(await run('echo there')).toBe('there');
  });

  test('a closed executor leaves no process, socket or home, and starts no more', async () => {
    const { workspace, run, folder } = newHands();
    await run('sleep 4311 & disown; touch ~/at-home');
    expect(processesIn(folder)).not.toEqual([]);
    await workspace.close();
    await eventually(() => processesIn(folder).length === 0);
    expect(readdirSync(join(folder, '..', 'homes'))).toEqual([]);
    await expect(run('true')).rejects.toThrow('The executor failed');
  });
});
