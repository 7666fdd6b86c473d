import { workspacePackages } from './tooling/bootstrap/workspace.mjs';

/** The sources behind the doors a package opens (`exports` and `bin` name what the build makes of them). */
function entriesOf({ manifest }) {
  const doors = Object.values(manifest.exports ?? {}).map((target) => target.default ?? '');
  const programs = manifest.exports === undefined ? ['./dist/main.js'] : [];
  return [...new Set([...doors, ...Object.values(manifest.bin ?? {}), ...programs])]
    .filter((target) => target.startsWith('./dist/'))
    .map((target) => `${target.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}!`);
}

/** Dependencies that another package loads, development dependencies that become a part of what a package publishes, and files of packages that tests read by path. */
const BUNDLED = {
  // drivers that @conv/stores loads when an address needs them, where they are installed
  '@conv/stores': ['@aws-sdk/client-s3', '@conv/persist-postgres', '@conv/persist-s3'],
  '@conv/agent-server': ['@aws-sdk/client-s3', '@conv/persist-postgres', '@conv/persist-s3'],
  '@conv/studio': [
    '@base-ui/react',
    '@conv/core',
    '@conv/openhands',
    '@conv/remote',
    '@conv/visualize',
    '@tanstack/react-virtual',
    'axe-core',
    'playwright-core',
    'react',
    'react-dom',
    'wouter',
  ],
  '@conv/visualize': [
    '@tanstack/react-virtual',
    'anser',
    'axe-core',
    'highlight.js',
    'marked',
    'react',
    'react-dom',
    'rolldown',
  ],
};

const code = workspacePackages().filter(({ manifest }) => manifest.scripts?.build !== undefined);

export default {
  // The root's tools are started by tooling/checks and tooling/bootstrap, not by a script knip could read.
  // The declarations of @ai-sdk/provider import the types of json-schema without depending on them; the agent does.
  // The sandbox loads @anthropic-ai/sandbox-runtime by a name that is no literal.
  ignoreDependencies: [
    '@anthropic-ai/sandbox-runtime',
    '@types/json-schema',
    'jscpd',
    'oxfmt',
    'oxlint',
    'oxlint-tsgolint',
    'pnpm',
    'turbo',
  ],
  ignoreBinaries: ['apt-cache', 'apt-get', 'bwrap', 'dpkg', 'ldd', 'mkfifo', 'podman', 'prlimit', 'setpriv', 'unshare'],
  // A type in the signature of an exported function is a part of it, also when nobody names it yet.
  ignoreExportsUsedInFile: { interface: true, type: true },
  workspaces: {
    '.': { project: ['*.js'] },
    tooling: {
      entry: [
        '{verify,test,escape,image}.mjs!',
        'build/*.mjs!',
        'checks/*.ts!',
        'interop/*.mjs!',
        'pictures/main.ts!',
        'web-ui/{web-ui,canvas-process,open-chromium}.mjs!',
      ],
      project: ['**/*.{mjs,ts}!', '!test/**!'],
    },
    docs: {},
    ...Object.fromEntries(
      code.map((each) => [
        each.dir,
        {
          entry: [
            ...entriesOf(each),
            'src/**/*worker.ts!',
            'src/**/*.browser.ts!',
            // built on their own, by a package's own build
            'build/*.mjs!',
            'src/**/viewer.tsx!',
            'src/page/main.tsx!',
            'test/**/*{.types,-process,-in-page}.ts',
            'test/page/main.tsx',
            'test/acp/real/real-programs.ts',
          ],
          project: ['src/**/*.{ts,tsx}!', 'build/*.mjs!', 'test/**/*.{ts,tsx}'],
          ignoreDependencies: BUNDLED[each.name] ?? [],
        },
      ]),
    ),
    examples: {
      entry: [
        'src/*.ts!',
        'src/adapter/harness.ts!',
        'src/support/page-server.ts!',
        'src/pages/*.js!',
        'test/**/*.types.ts',
      ],
      project: ['src/**/*.{ts,js}!', 'test/**/*.ts'],
    },
  },
};
