import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

import { isToolError, type Confinement } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { isHere, newFolder, newHome, openIn, runIn, type Fixture } from './open-sandbox.ts';

interface World {
  readonly workspace: string;
  readonly confinement: Confinement;
  readonly run: Fixture['run'];
  /** Paths by what they are. */
  readonly targets: Readonly<Record<string, string>>;
}

/** Opens a workspace in a home, among folders of every kind that a sandbox knows. */
async function openWorld(): Promise<World> {
  const home = newHome();
  const folder = newFolder();
  const workspace = join(home, 'workspace');
  for (const name of ['sub', 'hidden', 'hooks']) mkdirSync(join(workspace, name), { recursive: true });
  for (const name of ['file', 'sub/file', 'hidden/file', 'secret', 'hooks/file'])
    writeFileSync(join(workspace, name), name);
  for (const name of ['read', 'write', 'outside']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'file'), name);
  }
  symlinkSync(join(folder, 'write'), join(folder, 'second'));
  const confinement = await openIn(workspace, {
    read: [join(folder, 'read')],
    write: [join(folder, 'write'), join(folder, 'second')],
    hide: [join(workspace, 'hidden'), join(workspace, 'secret')],
    protect: ['hooks', 'later'],
  });
  const run = runIn(confinement, workspace);
  run('echo own >~/own; echo own >/tmp/own; mkdir ~/private; echo own >~/private/file');
  const inWorkspace = ['file', 'new', 'sub/file', 'deep/er/new', 'hidden/file', 'hidden/new', 'secret', 'hooks/file'];
  const more = ['hooks/new', 'later/new', '../key', '../own', '../new', 'missing/../file', 'file/../sub/file'];
  const beside = ['read/file', 'read/new', 'write/file', 'write/new', 'second/file', 'outside/file', 'outside/new'];
  const system = [
    '/tmp/own',
    '/tmp/new',
    '/var/tmp/own',
    '/etc/passwd',
    '/etc/shadow',
    '/etc/new',
    '/usr/bin/env',
    '/new',
  ];
  const targets = [
    ...[...inWorkspace, ...more].map((name) => [name, `${workspace}/${name}`]),
    ...beside.map((name) => [name, join(folder, name)]),
    ...system.map((path) => [path, path]),
    ['private/file', join(home, 'private/file')],
    ['a folder of the machine', '/var/lib/any'],
  ];
  return { workspace, confinement, run, targets: Object.fromEntries(targets) };
}

/** Returns a path that leads to `target` in another way, and the commands that make it. */
type Way = (target: string, name: string, workspace: string) => { readonly path: string; readonly make?: string };

const WAYS: Readonly<Record<string, Way>> = {
  'by its path': (target) => ({ path: target }),
  'by a detour': (target) => ({ path: join('/usr', '..') + `usr/./..//${target}` }),
  'by a link': (target, name, workspace) => {
    const path = join(workspace, `link-${name}`);
    return { path, make: `ln -s '${target}' '${path}'` };
  },
  'by a relative link': (target, name, workspace) => {
    const path = join(workspace, 'sub', `relative-${name}`);
    return { path, make: `ln -s '${relative(dirname(path), '/')}${target}' '${path}'` };
  },
  'by two links from /tmp': (target, name) => ({
    path: `/tmp/two-${name}`,
    make: `ln -s '${target}' '/tmp/one-${name}'; ln -s 'one-${name}' '/tmp/two-${name}'`,
  }),
  'by a link to its folder': (target, name, workspace) => {
    const path = join(workspace, `folder-${name}`);
    return { path: `${path}/${basename(target)}`, make: `ln -s '${dirname(target)}' '${path}'` };
  },
};

/** Returns the place of a path; `undefined` where it is refused in words for the model. */
function placeIn({ confinement }: World, path: string, access: 'read' | 'write'): string | undefined {
  try {
    return confinement.place(path, access);
  } catch (error) {
    const words = `The sandbox does not let tools ${access} ${path}: `;
    if (isToolError(error, 'FAILED') && error.message.startsWith(words)) return undefined;
    throw error;
  }
}

/** Runs a line of shell for each path, all in one program, and returns what each printed. The path is `$1`. */
function runForEach({ run }: World, paths: readonly string[], line: string): readonly string[] {
  const { output } = run(
    `each() { ${line}; }; for path in ${paths.join(' ')}; do each "$path" 2>/dev/null; echo ,; done`,
  );
  return output.split(',').map((part) => part.trim());
}

describe.skipIf(!isHere).each(Object.entries(WAYS))('a place of a path, given %s,', (_, way) => {
  const pathsIn = ({ targets, workspace, run }: World): readonly { readonly name: string; readonly path: string }[] => {
    const ways = Object.entries(targets).map(([name, target], at) => ({ name, ...way(target, String(at), workspace) }));
    expect(run(ways.flatMap(({ make }) => make ?? []).join('; ') || 'true').output).toBe('');
    return ways;
  };

  test('a place holds what a program inside reads there, and is refused where a program reads nothing', async () => {
    const world = await openWorld();
    const paths = pathsIn(world);
    const inside = runForEach(
      world,
      paths.map(({ path }) => path),
      'base64 -w 0 -- "$1"',
    );
    const read = paths.map(({ name, path }) => {
      const place = placeIn(world, path, 'read');
      return { name, content: place !== undefined && existsSync(place) ? readFileSync(place, 'base64') : '' };
    });
    expect(read).toEqual(paths.map(({ name }, at) => ({ name, content: inside[at] })));
    expect(read.filter(({ content }) => content !== '').length).toBeGreaterThan(10);
  });

  test('a place is given for writing exactly where a program inside writes, and is the file that it writes', async () => {
    const world = await openWorld();
    const paths = pathsIn(world);
    const places = paths.map(({ path }) => placeIn(world, path, 'write'));
    const write = 'mkdir -p "$(dirname "$(readlink -m -- "$1")")" && printf "<%s>" "$1" >>"$1" && echo written';
    const inside = runForEach(
      world,
      paths.map(({ path }) => path),
      write,
    );
    const written = paths.map(({ name, path }, at) => {
      const place = places[at];
      if (place === undefined) return { name, said: '' };
      return { name, said: existsSync(place) && readFileSync(place, 'utf8').includes(`<${path}>`) ? 'written' : place };
    });
    expect(written).toEqual(paths.map(({ name }, at) => ({ name, said: inside[at] })));
    expect(new Set(inside.slice(0, -1))).toEqual(new Set(['written', '']));
  });
});

describe.skipIf(!isHere)('a place', () => {
  test('a place is without symbolic links, also where a program has none yet', async () => {
    const { confinement, workspace, run } = await openWorld();
    run('ln -s sub link');
    expect(confinement.place(join(workspace, 'link/new/file'), 'write')).toBe(join(workspace, 'sub/new/file'));
    expect(realpathSync(confinement.place('/tmp/own', 'read'))).not.toBe('/tmp/own');
  });

  test.each(['/proc/self/environ', '/proc/self/root/etc/hostname', '/dev/null', '/', 'file', '/sys/kernel'])(
    'a place is refused for %s, which this process must not open for a program',
    async (path) => {
      const world = await openWorld();
      for (const access of ['read', 'write'] as const) expect(placeIn(world, path, access)).toBeUndefined();
    },
  );

  test('a place is refused for links that lead in a circle', async () => {
    const { confinement, workspace, run } = await openWorld();
    run('ln -s one two; ln -s two one');
    expect(() => confinement.place(join(workspace, 'one'), 'read')).toThrow('expected fewer symbolic links');
  });

  test('a place is refused with the folders that can be written', async () => {
    const { confinement, workspace } = await openWorld();
    expect(() => confinement.place('/etc/passwd', 'write')).toThrow(`it is read-only. Use a path in ${workspace}`);
  });

  test('a place is found for programs of PATH, which a program reads where they are', async () => {
    const world = await openWorld();
    const program = spawnSync('sh', ['-c', 'command -v node'], { encoding: 'utf8' }).stdout.trim();
    expect(placeIn(world, program, 'read')).toBe(realpathSync(program));
    expect(placeIn(world, program, 'write')).toBeUndefined();
  });
});
