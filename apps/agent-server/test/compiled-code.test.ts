import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { sandboxProblem } from '@conv/sandbox';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';

import { readConfiguration } from '../src/configuration/read-configuration.ts';
import { compiledCode } from '../src/start/compiled-code.ts';
import { confiningOf } from '../src/start/confining.ts';
import { newFolder } from './new-folder.ts';

const { href } = pathToFileURL(join(import.meta.dirname, '../src/start/compiled-code.ts'));

/** Takes the right of root away to write where its user may not. */
const BOUND = ['--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'];
const isRoot = process.getuid?.() === 0;
const canBeBound = spawnSync('setpriv', [...BOUND, 'true']).status === 0;

/** A folder of a program, and the folder of the compiled code of a user with this cache folder. */
function places(): { readonly program: string; readonly cache: string; readonly folder: string } {
  const [program, cache] = [newFolder(), newFolder()];
  const folder = join(cache, 'conv', 'compiled');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { program, cache, folder };
}

/** Returns where a process keeps its compiled code, in words of a program. */
function keptBy(program: string, cache: string, cwd: string = program): string {
  const script = `import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from '${href}';
    keepCompiledCode('${program}');
    console.log(getCompileCacheDir() ?? 'nowhere');`;
  const node = [process.execPath, '--no-warnings', '--input-type=module', '--eval', script];
  const [command = '', ...args] = isRoot ? ['setpriv', ...BOUND, ...node] : node;
  const env = { PATH: process.env['PATH'], HOME: cache, XDG_CACHE_HOME: cache };
  const { stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim();
}

const hasModes = process.platform !== 'win32' && (!isRoot || canBeBound);

test.runIf(hasModes)('compiled code is kept only where its user may change the program', () => {
  const { program, cache, folder } = places();
  expect(keptBy(program, cache)).toContain(folder);
  chmodSync(program, 0o555);
  expect(keptBy(program, cache)).toBe('nowhere');
});

test.runIf(hasModes)('compiled code is not kept where another user can put a folder in the place of one above', () => {
  const { program, cache, folder } = places();
  chmodSync(cache, 0o777);
  expect(keptBy(program, cache)).toBe('nowhere');
  // only the owner of a folder moves it then
  chmodSync(cache, 0o1777);
  expect(keptBy(program, cache)).toContain(folder);
});

test.runIf(hasModes)('a cache folder without an absolute path leads not into the folder of a start', () => {
  const { program, folder } = places();
  expect(keptBy(program, '.', join(folder, '../..'))).not.toContain(folder);
});

test.runIf(isRoot)('compiled code that Node keeps for a user without a home is among the folders to protect', () => {
  const folder = newFolder();
  const script = `import { compiledCode } from '${href}';
    process.seteuid(54_321);
    console.log(JSON.stringify(compiledCode()));`;
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: folder };
  const args = ['--no-warnings', '--input-type=module', '--eval', script];
  const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining(folder)]);
});

test.runIf((await sandboxProblem()) === undefined)(
  'P9: an agent that works around the cache folder of the server writes no compiled code',
  async () => {
    const home = newFolder();
    vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
    onTestFinished(() => void vi.unstubAllEnvs());
    // behind that of this process, which CI names
    const folder = compiledCode().at(-1) ?? '';
    expect(folder).toBe(join(home, 'cache/conv/compiled'));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'kept'), '');
    const environment = { OH_CONVERSATIONS_PATH: join(newFolder(), 'conversations') };
    const configuration = await readConfiguration({ options: { sandbox: 'on' }, environment });
    const { sandbox } = await confiningOf(configuration, pino({ enabled: false }));
    const confinement = await sandbox?.open({ conversationId: crypto.randomUUID(), workingDirectory: home });
    onTestFinished(async () => confinement?.close());
    const text = `ls ${folder}; touch ${folder}/planted; mv cache other; touch seen`;
    const env = { PATH: process.env['PATH'] ?? '' };
    const start = confinement?.confine({ command: 'bash', args: ['-c', text], cwd: home, env });
    const { stdout } = spawnSync(start?.command ?? '', start?.args ?? [], {
      cwd: start?.cwd,
      env: { ...start?.env },
      encoding: 'utf8',
    });
    expect([stdout, existsSync(join(home, 'seen')), existsSync(join(folder, 'planted')), existsSync(folder)]).toEqual([
      '',
      true,
      false,
      true,
    ]);
  },
);
