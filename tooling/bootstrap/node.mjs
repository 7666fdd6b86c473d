import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { announce, BootstrapError, root, runQuietly } from './process.mjs';

/** The oldest Node the packages run on. */
const oldest = [22, 19];
/** The one that is fetched when the machine's own is older. */
const fetched = '24.21.0';
/** Remembers where the fetched one is, so that the second time npm is not asked again. */
const remembered = join(root, '.cache/bootstrap/node');

/**
 * The Node to work with: this one when new enough, otherwise one fetched through npm.
 * @returns {Promise<string>} the path of its executable
 */
export async function ensureNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const known = rememberedNode();
  if (known !== undefined) return known;
  announce(`Node ${process.versions.node} is older than ${oldest.join('.')}: fetching Node ${fetched} through npm`);
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
        `allow them for this command, or install Node ${oldest.join('.')} or newer yourself.`,
    );
  }
  mkdirSync(dirname(remembered), { recursive: true });
  writeFileSync(remembered, `${fetched}\n${path}\n`);
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
    ...process.env,
    PATH: path,
    DO_NOT_TRACK: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    // Part of turbo's hash: results of one Node are not taken for results of another.
    TEST_NODE: node === process.execPath ? process.versions.node : fetched,
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
  const [oldestMajor = 0, oldestMinor = 0] = oldest;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function rememberedNode() {
  if (!existsSync(remembered)) return undefined;
  const [version, path = ''] = readFileSync(remembered, 'utf8').split('\n');
  return version === fetched && existsSync(path) ? path : undefined;
}
