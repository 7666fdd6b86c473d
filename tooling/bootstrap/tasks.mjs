import { join } from 'node:path';
import { root } from './process.mjs';

/**
 * @typedef {object} Task
 * @property {string} [build] what has to be built first: a package's name, or `*`
 * @property {(node: string, extra: readonly string[]) => [string, ...string[]]} command
 * @property {boolean} [tests] it runs in the environment of tests
 * @property {boolean} [alone] it writes what others read, so it waits for the bootstrap of other commands
 */

/**
 * Runs a program of the workspace on the Node that was found. A program that only reads sources needs no build, so that a
 * failing build does not hide its report.
 * @param {string | undefined} build
 * @param {string} file
 * @param {readonly string[]} [given]
 * @returns {Task}
 */
function program(build, file, given = []) {
  return { ...(build && { build }), command: (node, extra) => [node, join(root, file), ...given, ...extra] };
}

/**
 * A turbo task, with what it depends on.
 * @param {string} name
 * @returns {Task}
 */
function turbo(name) {
  return { command: (_node, extra) => [join(root, 'node_modules/.bin/turbo'), 'run', name, ...extra] };
}

const demo = program('@conv/demo', 'apps/demo/dist/main.js');

/**
 * Tasks by the name of the root's npm script.
 * @type {Record<string, Task>}
 */
export const tasks = {
  start: demo,
  demo,
  test: { ...program('*', 'tooling/test.mjs', ['short']), tests: true },
  'test:long': { ...program('*', 'tooling/test.mjs', ['long']), tests: true },
  'test:all': { ...program('*', 'tooling/test.mjs', ['all']), tests: true },
  build: { ...turbo('build'), alone: true },
  typecheck: program('*', 'tooling/checks/types.ts'),
  bench: program('@conv/bench', 'apps/bench/dist/main.js'),
  studio: program('@conv/studio', 'apps/studio/dist/main.js'),
  server: program('@conv/agent-server', 'apps/agent-server/dist/main.js'),
  crash: program('@conv/testing-crash', 'testing/crash/dist/main.js'),
  damage: program('@conv/testing-crash', 'testing/crash/dist/damage-main.js'),
  churn: program('@conv/testing-crash', 'testing/crash/dist/churn-main.js'),
  chaos: program('@conv/testing-chaos', 'testing/chaos/dist/main.js'),
  doors: program('@conv/testing-doors', 'testing/doors/dist/main.js'),
  failover: program('@conv/testing-failover', 'testing/failover/dist/main.js'),
  escape: program('@conv/testing-escape', 'tooling/escape.mjs'),
  image: program('*', 'tooling/image.mjs'),
  examples: program('@conv/examples', 'examples/dist/main.js'),
  interop: program('*', 'tooling/interop/interop.mjs'),
  'interop:releases': program('*', 'tooling/interop/interop.mjs', ['--release', '1.43.1,newest']),
  'interop:folders': program('*', 'tooling/interop/folders.mjs'),
  'interop:programs': program('*', 'apps/agent-server/test/acp/real/real-programs.ts'),
  'interop:web': program('*', 'tooling/web-ui/web-ui.mjs'),
  'openhands:diff': program('*', 'tooling/interop/openhands-diff.mjs'),
  pictures: program('*', 'tooling/pictures/main.ts'),
  lint: program('*', 'tooling/checks/lint.ts'),
  fix: program('*', 'tooling/checks/lint.ts', ['--fix']),
  layers: program(undefined, 'tooling/checks/layers.ts'),
  unused: program(undefined, 'tooling/checks/unused.ts'),
  duplicates: program(undefined, 'tooling/checks/duplicates.ts'),
  docs: program('*', 'tooling/checks/api-docs.ts'),
  'check:docs': program('*', 'tooling/checks/docs.ts'),
  'check:english': program(undefined, 'tooling/checks/english.ts'),
  'check:hosts': program(undefined, 'tooling/checks/registry-hosts.ts'),
  'check:platform': program(undefined, 'tooling/checks/platform.ts'),
  'check:s3': program('@conv/persist-s3', 'tooling/interop/s3-on-moto.mjs'),
  'check:seed': program('*', 'tooling/checks/seed-names.ts'),
  'check:shape': program(undefined, 'tooling/checks/package-shape.ts'),
  'pack:check': program('*', 'tooling/checks/pack.ts'),
  verify: program(undefined, 'tooling/verify.mjs'),
};
