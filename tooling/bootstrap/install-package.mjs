import { execFileSync, spawnSync } from 'node:child_process';

/**
 * Installs a package of Debian, as root on a system with apt. Returns false elsewhere. Throws what apt says.
 *
 * @param {string} name
 * @returns {boolean}
 */
export function installPackage(name) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another program may be installing something else.
  const args = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '-qq', '--no-install-recommends', name];
  const install = () => execFileSync('apt-get', args, { env, stdio: 'pipe' });
  try {
    install();
  } catch {
    // A system whose lists are old or empty knows no package.
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'pipe' });
    install();
  }
  return true;
}
