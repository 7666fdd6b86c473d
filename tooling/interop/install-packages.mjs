import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const UV = 'uv==0.13.9';
/** Arguments of a Python to install packages without questions and progress. */
export const PIP = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];

/** Names of pip's configuration by the variables that tell uv the same. */
const SETTINGS = {
  UV_DEFAULT_INDEX: 'index-url',
  UV_INDEX: 'extra-index-url',
  UV_FIND_LINKS: 'find-links',
  UV_HTTP_TIMEOUT: 'default-timeout',
  SSL_CERT_FILE: 'cert',
};

/**
 * Installs packages into the environment of a Python by uv, which needs a third of the processor that pip needs. Where uv cannot, pip does it.
 * Nothing is compiled, because that takes as long again, and most modules are never imported.
 *
 * @param {string} python
 * @param {readonly string[]} packages arguments for pip
 * @param {(line: string) => void} [log]
 */
export async function installPackages(python, packages, log = () => {}) {
  const limits = { maxBuffer: 64 << 20 };
  try {
    await run(python, [...PIP, UV], limits);
    const env = { ...process.env, ...(await pipSettings(python)) };
    const args = ['pip', 'install', '--quiet', '--python', python, ...packages];
    await run(join(dirname(python), 'uv'), args, { ...limits, env });
  } catch (error) {
    log(`${UV} installs nothing here, so pip does: ${String(error.stderr || error.message).trim()}`);
    await run(python, [...PIP, '--no-compile', ...packages], limits);
  }
}

/** Resolves with where pip's configuration, in files and variables, has packages looked for, as variables of uv. */
async function pipSettings(python) {
  const { stdout } = await run(python, ['-m', 'pip', 'config', 'list']);
  const valueOf = (name) => new RegExp(`\\.${name}='(.*)'$`, 'm').exec(stdout)?.[1];
  const settings = Object.entries(SETTINGS).map(([variable, name]) => [variable, valueOf(name)]);
  return Object.fromEntries(settings.filter(([, value]) => value !== undefined));
}
