import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inCi } from '@conv/testing-harness';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { gitPatch } from '../../src/workspace/git-patch.ts';
import { Git } from '../../src/workspace/git.ts';
import { changedRepository, environment, runGit } from '../support/run-git.ts';

let base: string;
let folder: string;
let program: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'conv-hostile-git-')));
  folder = join(base, 'work');
  program = join(base, 'program');
  mkdirSync(folder);
  // the program passes its input on, so that git continues with its next program
  writeFileSync(program, `#!/bin/sh\ntouch "${base}/ran"\nexec cat\n`);
  chmodSync(program, 0o755);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function settings(text: string, at = folder): void {
  appendFileSync(join(at, '.git', 'config'), `\n${text}\n`);
}

function hook(name: string, at = folder): void {
  const file = join(at, '.git', 'hooks', name);
  mkdirSync(join(at, '.git', 'hooks'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\ntouch "${base}/ran"\n`);
  chmodSync(file, 0o755);
}

function submodule(): string {
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  changedRepository(inner);
  runGit(folder, 'add', 'inner');
  writeFileSync(join(folder, '.gitmodules'), '[submodule "inner"]\n\tpath = inner\n\turl = ./x\n\tignore = none\n');
  runGit(folder, 'add', '.gitmodules');
  runGit(folder, 'commit', '--quiet', '-m', 'inner');
  writeFileSync(join(inner, 'a.txt'), 'sixsix');
  return inner;
}

/** Takes the objects of the first commit away, as in a clone that fetches them when they are needed. */
function partial(url: string, more: string): void {
  settings(
    `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ${url}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n${more}`,
  );
  const blob = runGit(folder, 'rev-parse', 'HEAD:a.txt');
  rmSync(join(folder, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
}

const ways: Readonly<Record<string, () => void>> = {
  'a filter named in .gitattributes': () => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
    settings(`[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n\trequired = true`);
  },
  'a filter named in info/attributes': () => {
    mkdirSync(join(folder, '.git', 'info'), { recursive: true });
    writeFileSync(join(folder, '.git', 'info', 'attributes'), '* filter=evil\n');
    settings(`[filter "evil"]\n\tclean = ${program}`);
  },
  'a process filter': () => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
    settings(`[filter "evil"]\n\tprocess = ${program}`);
  },
  'a filter whose name holds signs': () => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=e=v.i\n');
    settings(`[filter "e=v.i"]\n\tclean = ${program}`);
  },
  'a filter in an included file': () => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
    writeFileSync(join(folder, 'included'), `[filter "evil"]\n\tclean = ${program}\n`);
    settings('[include]\n\tpath = ../included');
  },
  'a filter in the settings of a work tree': () => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
    settings('[extensions]\n\tworktreeConfig = true');
    writeFileSync(join(folder, '.git', 'config.worktree'), `[filter "evil"]\n\tclean = ${program}\n`);
  },
  'a file of attributes named in the settings': () => {
    writeFileSync(join(folder, 'attributes'), '* filter=evil diff=evil\n');
    settings(
      `[core]\n\tattributesFile = ${folder}/attributes\n[filter "evil"]\n\tclean = ${program}\n[diff "evil"]\n\ttextconv = ${program}`,
    );
  },
  'a text converter': () => {
    writeFileSync(join(folder, '.gitattributes'), '* diff=evil\n');
    settings(`[diff "evil"]\n\ttextconv = ${program}`);
  },
  'a program for differences of one kind of files': () => {
    writeFileSync(join(folder, '.gitattributes'), '* diff=evil\n');
    settings(`[diff "evil"]\n\tcommand = ${program}`);
  },
  'a program for all differences': () => settings(`[diff]\n\texternal = ${program}`),
  'a merge driver': () => {
    writeFileSync(join(folder, '.gitattributes'), '* merge=evil\n');
    settings(`[merge "evil"]\n\tdriver = ${program}`);
  },
  'a file system monitor': () => settings(`[core]\n\tfsmonitor = ${program}`),
  'a program that checks signatures': () => {
    const tree = runGit(folder, 'rev-parse', 'HEAD^{tree}');
    const signed = `tree ${tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
    const sha = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      input: signed,
    }).trim();
    runGit(folder, 'update-ref', 'HEAD', sha);
    settings(`[gpg]\n\tprogram = ${program}\n[log]\n\tshowSignature = true`);
  },
  'a pager': () => settings(`[core]\n\tpager = ${program}\n[pager]\n\tlog = ${program}\n\tdiff = ${program}`),
  'an editor and a program that asks for passwords': () =>
    settings(`[core]\n\teditor = ${program}\n\taskPass = ${program}\n[credential]\n\thelper = ${program}`),
  'aliases of the commands that are used': () =>
    settings(`[alias]\n\tdiff = !${program}\n\tlog = !${program}\n\tls-files = !${program}`),
  hooks: () =>
    ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-commit'].forEach((name) => hook(name)),
  'a folder of hooks': () => {
    hook('post-index-change');
    renameSync(join(folder, '.git', 'hooks'), join(folder, 'hooks'));
    settings(`[core]\n\thooksPath = ${folder}/hooks`);
  },
  'an ext:: address that is fetched from when an object is missing': () =>
    partial(`ext::${program}`, '[protocol]\n\tallow = always'),
  'an ssh command that is run when an object is missing': () =>
    partial('ssh://example.invalid/x', `[core]\n\tsshCommand = ${program}`),
  'a program of another side that is run when an object is missing': () => partial(folder, `\tuploadpack = ${program}`),
  'a remote helper that is run when an object is missing': () => partial(`file://${folder}`, `\tvcs = ext`),
  'a program that lists branches of borrowed objects': () => {
    writeFileSync(join(folder, '.git', 'objects', 'info', 'alternates'), `${folder}/.git/objects\n`);
    settings(`[core]\n\talternateRefsCommand = ${program}`);
  },
  'a filter of a submodule': () => {
    const inner = submodule();
    writeFileSync(join(inner, '.gitattributes'), '* filter=evil\n');
    settings(`[filter "evil"]\n\tclean = ${program}`, inner);
  },
  'a file system monitor of a submodule': () => settings(`[core]\n\tfsmonitor = ${program}`, submodule()),
  'hooks of a submodule': () => hook('post-index-change', submodule()),
  'a submodule whose settings ask for its changes': () => {
    settings(`[core]\n\tfsmonitor = ${program}`, submodule());
    settings('[diff]\n\tignoreSubmodules = none\n\tsubmodule = diff\n[status]\n\tsubmoduleSummary = true');
  },
  'a repository without files of its own inside the folder': () => {
    const bare = join(folder, 'bare');
    runGit(base, 'init', '--quiet', '--bare', bare);
    appendFileSync(
      join(bare, 'config'),
      `\n[core]\n\tbare = false\n\tworktree = ${folder}\n\tfsmonitor = ${program}\n`,
    );
  },
  'a link in the place of .git': () => {
    renameSync(join(folder, '.git'), join(base, 'real'));
    symlinkSync(join(base, 'real'), join(folder, '.git'));
    appendFileSync(join(base, 'real', 'config'), `\n[core]\n\tfsmonitor = ${program}\n`);
  },
  'a file in the place of .git': () => {
    renameSync(join(folder, '.git'), join(base, 'real'));
    writeFileSync(join(folder, '.git'), `gitdir: ${base}/real\n`);
    appendFileSync(join(base, 'real', 'config'), `\n[core]\n\tfsmonitor = ${program}\n\tworktree = /etc\n`);
  },
};

async function readEverything(): Promise<readonly string[]> {
  const folders = new AllowedFolders(['/']);
  const git = new Git({ environment, folders });
  const head = runGit(folder, 'rev-parse', 'HEAD');
  rmSync(join(base, 'ran'), { force: true });
  const asked = await Promise.allSettled([
    git.changes(folder),
    git.changes(join(folder, 'inner')),
    git.changes(join(folder, 'bare')),
    git.changes(folder, 'HEAD~1'),
    git.commitChanges(folder, head),
    git.diff(join(folder, 'a.txt'), { access: 'session' }),
    git.diff(join(folder, 'a.txt'), { access: 'session', commit: head }),
    git.commits(folder, 10),
    gitPatch(folder, { environment, folders, excludes: [] }),
  ]);
  return asked.map(({ status }) => status);
}

describe('reading a repository', () => {
  beforeEach(() => changedRepository(folder));

  test.each(inCi(Object.keys(ways), 2))('runs no program that the repository names: %s', async (way) => {
    ways[way]?.();
    const answers = await readEverything();
    expect(existsSync(join(base, 'ran'))).toBe(false);
    // a call that was refused would run nothing for another reason
    expect(answers.filter((status) => status === 'fulfilled').length).toBeGreaterThan(3);
  });

  test.each(['node_modules/.bin', '.'])(
    'the server runs no git that the workspace holds, although PATH has its folder %s',
    async (name) => {
      const bin = join(folder, name);
      mkdirSync(bin, { recursive: true });
      symlinkSync(program, join(bin, 'git'));
      const path = [name === '.' ? name : bin, environment['PATH']].join(':');
      const git = new Git({ environment: { ...environment, PATH: path }, folders: new AllowedFolders(['/']) });
      expect((await git.commits(folder, 5)).commits).toHaveLength(2);
      expect(existsSync(join(base, 'ran'))).toBe(false);
    },
  );

  test('the programs of these repositories do run where git is called as usual', () => {
    for (const way of ['a filter named in .gitattributes', 'a file system monitor']) ways[way]?.();
    runGit(folder, 'diff', '--stat');
    expect(existsSync(join(base, 'ran'))).toBe(true);
  });

  test('the server writes nothing into a repository that it reads', async () => {
    const list = (): readonly string[] => readdirSync(join(folder, '.git'), { recursive: true }).map(String).sort();
    const before = list();
    await readEverything();
    expect(list()).toEqual(before);
  });

  test('the server leaves nothing among temporary files after reading a repository', async () => {
    const list = (): number => readdirSync(tmpdir()).filter((name) => /^conv-(?:git|index)-/.test(name)).length;
    const before = list();
    await readEverything();
    expect(list()).toBeLessThanOrEqual(before);
  });
});
