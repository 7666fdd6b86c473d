import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';

/** Packages of Debian whose programs agents work with. */
const PACKAGES = [
  'bash',
  'ca-certificates',
  'catatonit',
  'coreutils',
  'dash',
  'diffutils',
  'findutils',
  'git',
  'grep',
  'gzip',
  'mawk',
  'patch',
  'procps',
  'sed',
  'tar',
];

/**
 * Returns the packages of Debian that an image takes files from and this machine does not have.
 *
 * @param {readonly string[]} packages default: those of the image of the agent server
 * @returns {string[]}
 */
export function missingPackages(packages = PACKAGES) {
  return packages.filter((name) => spawnSync('dpkg', ['-L', name], { stdio: 'ignore' }).status !== 0);
}

/** Folders of programs, libraries and data; documents, translations and settings stay behind. */
const TAKEN = /^\/(?:usr\/)?(?:bin|sbin|lib|libexec)\/|^\/usr\/share\/git-core\//;

/**
 * Returns the files and symbolic links that these packages installed here. Throws where there is no Debian, or a package is
 * missing; names it.
 *
 * @param {readonly string[]} packages default: those of the image of the agent server
 * @returns {string[]}
 */
export function systemFiles(packages = PACKAGES) {
  const files = packages.flatMap((name) => {
    try {
      const list = execFileSync('dpkg', ['-L', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      return list.split('\n').filter((path) => TAKEN.test(path));
    } catch (cause) {
      throw new Error(
        `expected the package ${name} of Debian on this machine; run apt-get install ${name}, or build apps/agent-server/Dockerfile`,
        { cause },
      );
    }
  });
  return files.filter((path) => !isFolder(path));
}

/** @param {string} path */
function isFolder(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || found.isDirectory();
}
