import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';

import { ToolError, type Confinement, type Sandbox } from '@conv/core/tool';

/** The number of symbolic links that the kernel follows in one path. */
const MOST_LINKS = 40;

/**
 * Returns a sandbox that confines nothing to a folder to which a link of this user leads. A server stores the real paths of workspaces. Where
 * a workspace lies in that of another conversation, a program of that one can put a link in its place, and the next program would find the
 * target of the link as its workspace. It can also put the link there only for the moment in which the sandbox is opened, so the folder of an open sandbox is compared.
 *
 * @param configured folders of the configuration, whose links at the start are the operator's
 */
export function withoutPlantedLinks(sandbox: Sandbox, configured: readonly string[] = []): Sandbox {
  const known = new Set<string>();
  for (const folder of configured) placeOf(folder, (link) => known.add(link));
  const refuseLink = (folder: string): string =>
    placeOf(folder, (link) => {
      if (!known.has(link)) throw refusalOf(folder, `a link at ${link} to ${readlinkSync(link)}`);
    });
  const refuseOther = (folder: string, place: string, confinement: Pick<Confinement, 'place'>): void => {
    const found = foundBy(confinement, folder);
    if (found !== place) throw refusalOf(folder, found === undefined ? 'none' : `a link to ${found}`);
  };
  return {
    name: sandbox.name,
    open: async (session) => {
      const { workingDirectory: folder } = session;
      const place = refuseLink(folder);
      const confinement = await sandbox.open(session);
      try {
        refuseOther(folder, place, confinement);
      } catch (error) {
        await confinement.close();
        throw error;
      }
      return {
        ...confinement,
        confine: (start, more) => {
          refuseLink(folder);
          return confinement.confine(start, more);
        },
        place: (path, access) => {
          refuseLink(folder);
          return confinement.place(path, access);
        },
      };
    },
  };
}

function refusalOf(folder: string, found: string): ToolError {
  return new ToolError(
    'FAILED',
    `The sandbox confines nothing to ${folder}: expected a folder, found ${found}, which a program may have put there. Ask the user to put the folder back.`,
  );
}

/** Returns where the folder of an open sandbox is on this machine; `undefined` if it is not there any more. */
function foundBy(confinement: Pick<Confinement, 'place'>, folder: string): string | undefined {
  try {
    return confinement.place(folder, 'read');
  } catch {
    return undefined;
  }
}

/** Returns the path of a folder without links. Calls `onLink` with each link of this user on the way, before it is followed. */
function placeOf(folder: string, onLink: (path: string) => void): string {
  // a tool asks before each file, and one look tells of all folders on the way
  if (isReal(folder)) return folder;
  let at = '/';
  let links = 0;
  const rest = partsOf(folder);
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(at, part);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() !== true || ++links > MOST_LINKS) {
      at = next;
      continue;
    }
    if (found.uid === process.getuid?.()) onLink(next);
    const target = readlinkSync(next);
    rest.unshift(...partsOf(target));
    if (isAbsolute(target)) at = '/';
  }
  return at;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function isReal(folder: string): boolean {
  try {
    return realpathSync.native(folder) === folder;
  } catch {
    return false;
  }
}
