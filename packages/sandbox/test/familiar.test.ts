import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { SandboxOptions } from '../src/index.ts';
import { isHere, newFolder, newHome, openIn, runIn, type Fixture } from './open-sandbox.ts';

/** Opens a conversation in a workspace, and ends it after what is done in it. */
async function conversation<Done>(
  workspace: string,
  options: SandboxOptions,
  act: (run: Fixture['run']) => Done,
): Promise<Done> {
  const confinement = await openIn(workspace, options);
  try {
    return act(runIn(confinement, workspace));
  } finally {
    await confinement.close();
  }
}

/** A command that puts a program into a cache as `npx` does, and a command that runs it. */
const PLANT =
  'mkdir -p ~/.npm/_npx/bin && printf "#!/bin/sh\\necho cached" >~/.npm/_npx/bin/tool && chmod +x ~/.npm/_npx/bin/tool';
const RUN = '~/.npm/_npx/bin/tool';

describe.skipIf(!isHere)('caches that are kept', () => {
  test('kept caches are those of the last conversation in the same workspace', async () => {
    newHome();
    const [workspace, directory] = [newFolder(), newFolder()];
    const options = { directory, caches: true };
    await conversation(workspace, options, (run) => expect(run(`${PLANT}; touch ~/own`).status).toBe(0));
    await conversation(workspace, options, (run) => {
      expect(run(RUN).output).toBe('cached');
      expect(run('ls ~/own').status).not.toBe(0);
      expect(
        run('echo built >~/.cache/built; echo fetched >~/go/pkg/fetched; echo index >~/.cargo/registry/index').output,
      ).toBe('');
    });
    await conversation(workspace, options, (run) =>
      expect(run('cat ~/.cache/built ~/go/pkg/fetched ~/.cargo/registry/index').output).toBe('built\nfetched\nindex'),
    );
  });

  test('kept caches are not those of another workspace or of the user, even where a program leaves links', async () => {
    const home = newHome();
    mkdirSync(join(home, '.npm'));
    writeFileSync(join(home, '.npm/key'), 'secret');
    const [workspace, other, directory] = [newFolder(), newFolder(), newFolder()];
    const options = { directory, caches: true };
    await conversation(workspace, options, (run) => {
      expect(run(PLANT).status).toBe(0);
      expect(run('cat ~/.npm/key').output).not.toContain('secret');
      expect(
        run(`ln -s ${home}/.npm ~/.cache/link; ln -s ${directory}/caches ~/.cache/all; rmdir ~/.cache ~/.npm`).status,
      ).not.toBe(0);
    });
    await conversation(other, options, (run) => {
      expect(run(RUN).status).not.toBe(0);
      expect(run(`ls ${directory}/caches ~/.cache`).output).not.toContain('link');
    });
    await conversation(workspace, options, (run) =>
      expect(run('cat ~/.cache/link/key; ls ~/.cache/all').output).not.toMatch(/secret|^[0-9a-f]{32}$/m),
    );
    expect(existsSync(join(home, '.npm/_npx'))).toBe(false);
  });

  test('kept caches begin empty with each conversation unless they are asked for', async () => {
    newHome();
    const [workspace, directory] = [newFolder(), newFolder()];
    await conversation(workspace, { directory }, (run) => expect(run(PLANT).status).toBe(0));
    await conversation(workspace, { directory }, (run) => expect(run(RUN).status).not.toBe(0));
    await conversation(workspace, { directory, caches: true }, (run) => expect(run(RUN).status).not.toBe(0));
  });

  test('kept caches stay out of a folder of the user that programs are given', async () => {
    const home = newHome();
    mkdirSync(join(home, 'go/pkg'), { recursive: true });
    writeFileSync(join(home, 'go/pkg/mine'), 'mine');
    const options = { directory: newFolder(), caches: true, write: [join(home, 'go')] };
    await conversation(newFolder(), options, (run) => expect(run('cat ~/go/pkg/mine').output).toBe('mine'));
    await conversation(home, { directory: newFolder(), caches: true }, (run) =>
      expect(run('cat ~/go/pkg/mine').output).toBe('mine'),
    );
  });

  test('kept caches are made nowhere else by links of the user or of a program', async () => {
    const home = newHome();
    const [workspace, given] = [newFolder(), newFolder()];
    symlinkSync(given, join(home, '.m2'));
    const options = { directory: newFolder(), caches: true, write: [join(home, '.m2')] };
    const link = `ln -s ${relative(home, workspace)} ~/go`;
    await conversation(workspace, options, (run) => {
      expect(run('echo mine >~/.m2/settings').status).toBe(0);
      expect(run(`mv ~/go ~/moved && ${link}`).status).not.toBe(0);
      expect(run('true').status).toBe(0);
    });
    expect([readdirSync(given), readdirSync(workspace)]).toEqual([['settings'], []]);
    const linked = join(newFolder(), 'home');
    symlinkSync(home, linked);
    vi.stubEnv('HOME', linked);
    await conversation(linked, { ...options, write: [] }, (run) => expect(run('true').status).toBe(0));
    expect(existsSync(join(home, '.cargo'))).toBe(false);
  });

  test('kept caches are removed when the workspace is gone, or had no new conversation for a month', async () => {
    newHome();
    const [workspace, directory] = [newFolder(), newFolder()];
    const options = { directory, caches: true };
    const left = join(directory, 'caches', 'a'.repeat(32));
    mkdirSync(join(left, '.npm'), { recursive: true });
    const recent = join(directory, 'caches', 'b'.repeat(32));
    mkdirSync(recent);
    const before = Date.now() / 1000 - 31 * 24 * 3600;
    const gone = join(directory, 'caches', 'c'.repeat(32));
    mkdirSync(join(gone, '.cache'), { recursive: true });
    for (const folder of [left, recent]) writeFileSync(join(folder, 'used'), workspace);
    writeFileSync(join(gone, 'used'), `${workspace}/gone`);
    utimesSync(join(left, 'used'), before, before);
    await conversation(workspace, options, () => undefined);
    await expect.poll(() => existsSync(left)).toBe(false);
    await expect.poll(() => existsSync(gone)).toBe(false);
    expect(existsSync(recent)).toBe(true);
  });
});

describe.skipIf(!isHere)('a program that knows with which name the user commits', () => {
  test('a program commits under the name of its user, and gets no other setting', async () => {
    const home = newHome();
    mkdirSync(join(home, 'work'));
    writeFileSync(
      join(home, '.gitconfig'),
      '[user]\n\tname = "A \\"B\\" C"\n\temail = a@example.org\n\tsigningkey = K\n[commit]\n\tgpgsign = true\n' +
        `[credential]\n\thelper = store\n[url "https://token@example.org/"]\n\tinsteadOf = "https://example.org/"\n` +
        `[includeIf "gitdir:~/work/"]\n\tpath = work.config\n`,
    );
    writeFileSync(join(home, 'work.config'), '[user]\n\temail = work@example.org\n');
    const workspace = join(home, 'work');
    execFileSync('git', ['init', '-q', workspace]);
    await conversation(workspace, { gitIdentity: true }, (run) => {
      expect(run('git commit -q --allow-empty -m first && git log --format="%an <%ae>"').output).toBe(
        'A "B" C <work@example.org>',
      );
      expect(run('git config --global --list --name-only').output.split('\n').toSorted()).toEqual([
        'user.email',
        'user.name',
      ]);
    });
    await conversation(workspace, {}, (run) => expect(run('git config user.name').output).toBe(''));
  });

  test("a program with the user's name asks no git that a program has put into a folder of PATH", async () => {
    newHome();
    const workspace = newFolder();
    const [programs, ran] = [join(workspace, 'node_modules/.bin'), join(workspace, 'ran')];
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, 'git'), `#!/bin/sh\necho >'${ran}'\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await conversation(workspace, { gitIdentity: true }, (run) => expect(run('true').status).toBe(0));
    expect(existsSync(ran)).toBe(false);
  });

  test('a program runs where the user has no name, no git, or a workspace that is no repository', async () => {
    newHome();
    await conversation(newFolder(), { gitIdentity: true }, (run) => expect(run('echo inside').output).toBe('inside'));
  });
});

test.skipIf(!isHere)(
  'a workspace that is the home shows no keys to programs, but a path that they are given',
  async () => {
    const home = newHome();
    for (const folder of ['.ssh', '.aws', '.config/gh', 'project']) {
      mkdirSync(join(home, folder), { recursive: true });
      writeFileSync(join(home, folder, 'file'), `secret of ${folder}\n`);
    }
    for (const file of ['.netrc', '.git-credentials']) writeFileSync(join(home, file), `secret of ${file}\n`);
    const all = 'cat ~/.ssh/file ~/.aws/file ~/.config/gh/file ~/.netrc ~/.git-credentials ~/project/file';
    const run = runIn(await openIn(home), home);
    expect(run(all).output.match(/secret of \S*/g)).toEqual(['secret of project']);
    expect(run('mv ~/.ssh ~/moved; mv ~/.config ~/moved; echo key >~/.ssh/new').status).not.toBe(0);
    const given = runIn(await openIn(home, { read: [join(home, '.aws')] }), home);
    expect(given(all).output.match(/secret of \S*/g)).toEqual(['secret of .aws', 'secret of project']);
  },
);

const PYTHON = '/usr/bin/python3';

test.skipIf(!isHere || !existsSync(PYTHON))(
  'programs find the packages of an environment of Python that is active',
  async () => {
    const environment = join(newHome(), 'environment');
    execFileSync(PYTHON, ['-m', 'venv', '--without-pip', environment]);
    const asked = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'];
    const packages = execFileSync(join(environment, 'bin/python3'), asked, { encoding: 'utf8' }).trim();
    writeFileSync(join(packages, 'ours.py'), 'print("imported")');
    const workspace = newFolder();
    const run = runIn(await openIn(workspace), workspace, join(environment, 'bin'));
    expect(run('python3 -c "import ours"').output).toBe('imported');
  },
);
