import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('folders.mjs', import.meta.url));

/** The folder check as a pair: each of its cases, on every fixture. It runs once and whole. */
export async function foldersPair({ reference }) {
  // Set up once for all pairs: two installations would be in each other's way.
  const { version } = await reference;
  const { cases } = await checkFolders(version);
  return {
    async run(_name, asserts) {
      const own = cases.filter(({ name }) => name === asserts);
      if (own.length === 0) throw new Error('the folder check has no such case');
      const failed = own.filter(({ passed }) => !passed);
      if (failed.length === 0) return;
      throw new Error(failed.map(({ conversation, detail }) => `${conversation}: ${detail}`).join('\n'));
    },
    async close() {},
  };
}

function checkFolders(release) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, '--json', '--release', release], { maxBuffer: 64 << 20 }, (error, stdout) => {
      // It ends with 1 when a case failed, and has told all of them.
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(error ?? new Error('the folder check printed no document'));
      }
    });
  });
}
