import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { sandbox } from '../src/index.ts';
import { isHere, newFolder, newHome, open, openIn, runIn } from './open-sandbox.ts';

describe.skipIf(!isHere)('a program in the sandbox', () => {
  test('a program has its own input, output, exit code and working folder', async () => {
    const { run, workspace } = await open();
    expect(run('cat; echo; pwd; exit 3')).toEqual({ output: `typed\n${workspace}`, status: 3 });
  });

  test('a program has its variables, also SHLVL and OLDPWD, and no further program starts for them', async () => {
    const { confinement, workspace } = await open();
    const given = { PATH: '/usr/bin:/bin', SHLVL: '7', OLDPWD: '/usr' };
    const plain = { command: 'env', args: [], cwd: workspace, env: given };
    const { command, args, cwd, env } = confinement.confine(plain);
    const { stdout } = spawnSync(command, args, { cwd, env: { ...env }, encoding: 'utf8' });
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(Object.entries(given).map(([name, value]) => `${name}=${value}`)),
    );
    expect(args.filter((word) => /^(?:.*\/)?env$/.test(word))).toEqual(['env']);
  });

  test('a program begins in the workspace when its folder is not inside', async () => {
    const { run, workspace } = await open();
    expect(run('pwd', { cwd: import.meta.dirname })).toEqual({ output: workspace, status: 0 });
  });

  test('a program begins in a folder of its /tmp, which lies elsewhere on this machine', async () => {
    const { run } = await open();
    run('mkdir /tmp/own');
    expect(run('pwd', { cwd: '/tmp/own' })).toEqual({ output: '/tmp/own', status: 0 });
  });

  test('a program runs the Node.js of this process, whose folder is in PATH', async () => {
    const { run } = await open();
    expect(run('node --version').output).toBe(process.version);
  });

  test('a program reads and writes what the options name, and does not see what they hide', async () => {
    const data = newFolder();
    for (const name of ['read', 'write', 'hidden']) mkdirSync(join(data, name));
    writeFileSync(join(data, 'read/file'), 'content');
    writeFileSync(join(data, 'read/key'), 'secret');
    writeFileSync(join(data, 'hidden/file'), 'secret');
    const paths = { read: [join(data, 'read')], write: [join(data, 'write')] };
    const { run } = await open({ ...paths, hide: [join(data, 'read/key')] });
    expect(run(`cd ${data}; ls; cat read/file; echo out >write/file; cat write/file`).output).toBe(
      'read\nwrite\ncontentout',
    );
    expect(run(`cat ${data}/read/key; cat ${data}/hidden/file`).output).not.toContain('secret');
    expect(run(`echo out >${data}/read/file`).output).toContain('Read-only file system');
    expect(readFileSync(join(data, 'write/file'), 'utf8')).toBe('out\n');
  });

  test('a program reads, and does not write, long output of tools', async () => {
    const side = join(newFolder(), 'side');
    const { run } = await open({}, side);
    writeFileSync(join(side, 'output.txt'), 'long');
    expect(run(`cat ${side}/output.txt`).output).toBe('long');
    expect(run(`echo >${side}/output.txt`).status).not.toBe(0);
  });

  test('a program reads, and reads and writes, the folders that its caller names', async () => {
    const shared = newFolder();
    mkdirSync(join(shared, 'state'));
    const { run } = await open();
    const more = { read: [shared], write: [join(shared, 'state')] };
    expect(run(`echo out >${shared}/state/file`, more).status).toBe(0);
    expect(readFileSync(join(shared, 'state/file'), 'utf8')).toBe('out\n');
    expect(run(`echo out >${shared}/file`, more).output).toContain('Read-only file system');
    expect(run(`ls ${shared}`).status).not.toBe(0);
  });

  test('a program finds the files that an earlier program left in its home and in /tmp', async () => {
    const { run } = await open();
    run('echo kept >~/file; echo also >/tmp/file');
    expect(run('cat ~/file /tmp/file /var/tmp/file').output).toBe('kept\nalso\nalso');
  });

  test('a program has no network when it is closed', async () => {
    const { run } = await open({ network: 'closed' });
    const interfaces = run('cat /proc/net/dev').output.matchAll(/^ *(\S+):/gm);
    expect([...interfaces].map(([, name]) => name)).toEqual(['lo']);
  });

  test('a program cannot be given another repository', async () => {
    const { run, workspace, directory } = await open();
    spawnSync('git', ['init', '--quiet', workspace]);
    const confinement = await sandbox({ directory }).open({ conversationId: 'two', workingDirectory: workspace });
    onTestFinished(() => confinement.close());
    expect(runIn(confinement, workspace)('mv .git other').output).toContain('busy');
    expect(runIn(confinement, workspace)('touch .git/hooks/pre-commit').output).toContain('Read-only file system');
    expect(run('true').status).toBe(0);
  });

  test('a program cannot replace the file that stands for the repository of a worktree', async () => {
    const workspace = newFolder();
    writeFileSync(join(workspace, '.git'), 'gitdir: elsewhere');
    const run = runIn(await openIn(workspace), workspace);
    expect(run('rm .git').output).toContain('busy');
    expect(run('echo out >.git').output).toContain('Read-only file system');
  });

  test('a program leads git nowhere else when all of its folder is protected', async () => {
    const workspace = newFolder();
    spawnSync('git', ['init', '--quiet', workspace]);
    const run = runIn(await openIn(workspace, { protect: ['.git'] }), workspace);
    expect(run('echo ../evil >.git/commondir').output).toContain('Read-only file system');
    expect(run('mv .git other').output).toContain('busy');
  });

  test.each(['key', 'keys'])('a program cannot uncover %s by another name of a folder around it', async (name) => {
    const workspace = newFolder();
    mkdirSync(join(workspace, 'one/two/keys'), { recursive: true });
    for (const file of ['key', 'keys/key']) writeFileSync(join(workspace, 'one/two', file), 'secret');
    const run = runIn(await openIn(workspace, { hide: [join(workspace, 'one/two', name)] }), workspace);
    expect(run('mv one three').output).toContain('busy');
    expect(run('mv one/two one/three').output).toContain('busy');
    expect(run(`cat */*/${name} */*/${name}/key`).output).not.toContain('secret');
    expect(run('touch one/two/file').status).toBe(0);
  });

  test('a program does not see what is hidden, although PATH or a second name leads there', async () => {
    const workspace = newFolder();
    const other = newFolder();
    mkdirSync(join(workspace, 'hidden/bin'), { recursive: true });
    writeFileSync(join(workspace, 'hidden/bin/key'), 'secret');
    symlinkSync(workspace, join(other, 'link'));
    const confinement = await openIn(workspace, { hide: [join(workspace, 'hidden')] });
    const path = [join(workspace, 'hidden/bin'), join(other, 'link'), join(other, 'link/hidden')].join(':');
    const run = runIn(confinement, workspace, path);
    expect(run(`cat hidden/bin/key ${other}/link/hidden/bin/key`).output).not.toContain('secret');
  });

  test('a program does not see a folder that only its own PATH names, which a client may have set', async () => {
    const other = newFolder();
    writeFileSync(join(other, 'key'), 'secret');
    const { confinement, workspace } = await open();
    const plain = {
      command: 'cat',
      args: [join(other, 'key')],
      cwd: workspace,
      env: { PATH: `${other}:/usr/bin:/bin` },
    };
    const { command, args, cwd, env } = confinement.confine(plain);
    const { stdout, stderr } = spawnSync(command, args, { cwd, env: { ...env }, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('No such file')]);
  });

  test('a program does not see where a link in PATH inside of the workspace leads', async () => {
    const [workspace, other, outside] = [newFolder(), newFolder(), newFolder()];
    writeFileSync(join(outside, 'key'), 'secret');
    symlinkSync(workspace, join(other, 'link'));
    const path = [join(workspace, 'bin'), join(other, 'link/tools')].join(':');
    const run = runIn(await openIn(workspace), workspace, path);
    expect(run(`ln -s ${outside} tools; ln -s ${outside} lib; mkdir bin`).status).toBe(0);
    expect(run(`cat ${outside}/key`).output).not.toContain('secret');
    expect(run(`rmdir bin; ln -s ${outside} bin`).status).toBe(0);
    expect(run(`cat ${outside}/key`).output).not.toContain('secret');
  });

  test.each(['/', '/.', '/bin/..', '/..', '/../link'])(
    'a program does not see the home, although PATH holds home%s',
    async (way) => {
      const home = newHome();
      symlinkSync(home, join(home, '../link'));
      const workspace = newFolder();
      const run = runIn(await openIn(workspace), workspace, `${home}${way}`);
      expect(run(`cat ${home}/key ${home}/../link/key`).output).not.toContain('secret');
      expect(run('echo inside').output).toBe('inside');
    },
  );

  test('a program sees programs of its home in PATH, also where a link leads there', async () => {
    const home = newHome();
    writeFileSync(join(home, 'bin/tool'), '#!/bin/sh\necho called', { mode: 0o755 });
    symlinkSync(join(home, 'bin'), join(home, 'link'));
    const workspace = newFolder();
    const run = runIn(await openIn(workspace), workspace, join(home, 'link'));
    expect(run('tool').output).toBe('called');
  });

  test('a program sees a folder of programs in another one without its own mount, in any order in PATH', async () => {
    const programs = newFolder();
    mkdirSync(join(programs, 'bin/own'), { recursive: true });
    writeFileSync(join(programs, 'bin/own/tool'), '#!/bin/sh\necho called', { mode: 0o755 });
    const workspace = newFolder();
    const path = `${join(programs, 'bin/own')}:${join(programs, 'bin')}`;
    const confinement = await openIn(workspace);
    expect(runIn(confinement, workspace, path)('tool').output).toBe('called');
    const { args } = confinement.confine({ command: 'tool', args: [], cwd: workspace, env: {} });
    expect(args.filter((word) => word.startsWith(programs))).toEqual(Array(2).fill(join(programs, 'bin')));
  });

  test('a program finds the workspace and the folders of options by the links through which they were given', async () => {
    const folder = newFolder();
    for (const name of ['workspace', 'data']) {
      mkdirSync(join(folder, name));
      symlinkSync(join(folder, name), join(folder, `${name}-link`));
    }
    const [workspace, data] = [join(folder, 'workspace-link'), join(folder, 'data-link')];
    const run = runIn(await openIn(workspace, { write: [data] }), workspace);
    expect(run(`echo out >${workspace}/file; echo out >${data}/file; pwd -P`).output).toBe(join(folder, 'workspace'));
    for (const name of ['workspace', 'data']) expect(readFileSync(join(folder, name, 'file'), 'utf8')).toBe('out\n');
  });

  test('a program finds a workspace in its home by a link there', async () => {
    const home = newHome();
    mkdirSync(join(home, 'real'));
    const workspace = join(home, 'link');
    symlinkSync(join(home, 'real'), workspace);
    const run = runIn(await openIn(workspace), workspace);
    for (const name of ['one', 'two']) expect(run(`touch ${workspace}/${name}`).status).toBe(0);
    expect(readdirSync(join(home, 'real'))).toEqual(['one', 'two']);
  });
});

describe.skipIf(!isHere)('a confinement', () => {
  test('a confinement is shared by all users of a conversation, and removed with the last user', async () => {
    const directory = newFolder();
    const workspace = newFolder();
    const box = sandbox({ directory });
    const session = { conversationId: 'shared', workingDirectory: workspace };
    const [one, two] = await Promise.all([box.open(session), box.open(session)]);
    runIn(one, workspace)('echo kept >/tmp/file');
    await one.close();
    await one.close();
    expect(runIn(two, workspace)('cat /tmp/file').output).toBe('kept');
    await two.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a confinement that is open is refused to a user with other folders', async () => {
    const box = sandbox({ directory: newFolder() });
    const session = { conversationId: 'shared', workingDirectory: newFolder() };
    const confinement = await box.open(session);
    for (const other of [{ workingDirectory: newFolder() }, { sideDirectory: newFolder() }])
      await expect(box.open({ ...session, ...other })).rejects.toMatchObject({
        code: 'FAILED',
        message: expect.stringContaining(`${Object.values(other)[0]}`),
      });
    await confinement.close();
    await (await box.open({ ...session, workingDirectory: newFolder() })).close();
  });

  test('a confinement says in words for the model where it may write', async () => {
    const { confinement, workspace } = await open({ network: 'closed' });
    expect(confinement.rules).toContain(workspace);
    expect(confinement.rules).toContain('There is no network.');
  });

  test('a confinement does not say that the home is its own when the home is the workspace', async () => {
    const home = newHome();
    const { rules } = await openIn(home);
    expect(rules).toContain(`They can write in ${home}. What they write in /tmp belongs to the sandbox`);
  });

  test.each([{ read: ['/'] }, { write: ['/usr/..'] }])(
    'a confinement of the whole machine is refused: %j',
    async (options) => {
      const opening = openIn(newFolder(), options);
      await expect(opening).rejects.toMatchObject({ code: 'FAILED', message: expect.stringContaining('found /') });
      await expect(openIn('/')).rejects.toMatchObject({ code: 'FAILED', message: expect.stringContaining('found /') });
    },
  );

  test('a confinement is refused when a path to protect is a link, which a program could replace', async () => {
    const workspace = newFolder();
    mkdirSync(join(workspace, 'other/hooks'), { recursive: true });
    symlinkSync('other', join(workspace, '.git'));
    const opening = openIn(workspace);
    await expect(opening).rejects.toMatchObject({ code: 'FAILED', message: expect.stringContaining('.git/hooks') });
    await openIn(workspace, { protect: [] });
  });

  test('a confinement is made by no program that programs inside can write', async () => {
    const workspace = newFolder();
    writeFileSync(join(workspace, 'bwrap'), '#!/bin/sh\ntouch called', { mode: 0o755 });
    vi.stubEnv('PATH', `${workspace}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const run = runIn(await openIn(workspace), workspace);
    expect(run('echo inside').output).toBe('inside');
    expect(existsSync(join(workspace, 'called'))).toBe(false);
  });

  test('a confinement is made with no library that a variable names, which is for the program inside', async () => {
    const { confinement, workspace, run } = await open();
    vi.stubEnv('LD_LIBRARY_PATH', workspace);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { env } = confinement.confine({ command: 'true', args: [], cwd: workspace, env: process.env });
    expect(env).not.toHaveProperty('LD_LIBRARY_PATH');
    expect(env).toHaveProperty('PATH');
    expect(run('echo "$LD_LIBRARY_PATH"').output).toBe(workspace);
  });

  test('a confinement of a missing workspace is refused, leaves nothing behind, and can be opened later', async () => {
    const directory = newFolder();
    const box = sandbox({ directory });
    const workspace = join(newFolder(), 'not there');
    const opening = box.open({ conversationId: 'any', workingDirectory: workspace });
    await expect(opening).rejects.toMatchObject({ code: 'FAILED', message: expect.stringContaining(workspace) });
    expect(readdirSync(directory)).toEqual([]);
    mkdirSync(workspace);
    await (await box.open({ conversationId: 'any', workingDirectory: workspace })).close();
  });
});
