import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { announce, BootstrapError, root, runQuietly } from './process.mjs';

/** The oldest Node the packages run on. */
export const oldest = '22.19.0';
/** The Node that is fetched when the machine's own is older. */
const current = '24.21.0';

/**
 * Finds the Node to work with: the version that `CONV_NODE` names, else this one when new enough. A missing one is fetched
 * through npm.
 * @returns {Promise<string>} the path of its executable
 */
export async function ensureNode() {
  const own = process.versions.node;
  const wanted = process.env['CONV_NODE'] ?? (isNewEnough(own) ? own : current);
  if (!/^\d+\.\d+\.\d+$/.test(wanted))
    throw new BootstrapError(`CONV_NODE must be a version like ${current}, not '${wanted}'`);
  return await ensureNodeOf(wanted);
}

/**
 * The Node of a version, fetched through npm when it is not here.
 * @param {string} version
 * @returns {Promise<string>} the path of its executable
 */
export async function ensureNodeOf(version) {
  if (version === process.versions.node) return process.execPath;
  return rememberedNode(version) ?? (await fetchNode(version));
}

/** @param {string} fetched */
async function fetchNode(fetched) {
  const own = process.versions.node;
  const asked = process.env['CONV_NODE'] === undefined ? `Node ${fetched} is asked for` : 'CONV_NODE is set';
  announce(`${isNewEnough(own) ? asked : `Node ${own} is older than ${oldest}`}: fetching Node ${fetched} through npm`);
  const answer = await runQuietly(
    `fetching Node ${fetched}`,
    npmExec(`node@${fetched}`, ['node', '-p', '`${process.version} ${process.execPath}`']),
    process.env,
  );
  const [version, ...rest] = answer.trim().split('\n').at(-1)?.split(' ') ?? [];
  const path = rest.join(' ');
  if (version !== `v${fetched}` || !existsSync(path)) {
    throw new BootstrapError(
      `npm did not provide Node ${fetched} (got '${answer.trim()}'). Its package needs install scripts; ` +
        `allow them for this command, or install Node ${oldest} or newer yourself.`,
    );
  }
  mkdirSync(dirname(memoryOf(fetched)), { recursive: true });
  writeFileSync(memoryOf(fetched), `${path}\n`);
  return path;
}

/**
 * The environment for everything that follows: this Node and the workspace's own tools come first on the path.
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentFor(node) {
  const path = [dirname(node), join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  return {
    // The compiler and the linter with types are short programs in Go: collecting their garbage as often as usual is a fifth of their work.
    GOGC: '400',
    GOMEMLIMIT: '2GiB',
    ...process.env,
    PATH: path,
    DO_NOT_TRACK: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    // Part of turbo's hash: results of one Node are not taken for results of another.
    TEST_NODE: node === process.execPath ? process.versions.node : (process.env['CONV_NODE'] ?? current),
  };
}

/**
 * The command that runs a package's program through npm, without a shell in between.
 * @param {string} spec
 * @param {readonly string[]} command
 * @returns {[string, ...string[]]}
 */
export function npmExec(spec, command) {
  const cli = process.env['npm_execpath'];
  const npm = cli !== undefined && basename(cli) === 'npm-cli.js' ? [process.execPath, cli] : ['npm'];
  return /** @type {[string, ...string[]]} */ ([...npm, 'exec', '--yes', `--package=${spec}`, '--', ...command]);
}

/** @param {string} version */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * The file with the path of a fetched Node, so that npm is asked only once.
 * @param {string} version
 */
function rememberedNode(version) {
  if (!existsSync(memoryOf(version))) return undefined;
  const path = readFileSync(memoryOf(version), 'utf8').trim();
  return existsSync(path) ? path : undefined;
}

/** @param {string} version */
function memoryOf(version) {
  return join(root, '.cache/bootstrap', `node-${version}`);
}
