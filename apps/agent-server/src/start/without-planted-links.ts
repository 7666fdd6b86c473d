import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';

import { ToolError, type Sandbox } from '@conv/core/tool';

/**
 * Returns a sandbox that confines nothing to a folder to which a link of this user leads. A server stores the real paths of workspaces. Where
 * a workspace lies in that of another conversation, a program of that one can put a link in its place, and the next program would find the
 * target of the link as its workspace.
 *
 * @param configured folders of the configuration, whose links at the start are the operator's
 */
export function withoutPlantedLinks(sandbox: Sandbox, configured: readonly string[] = []): Sandbox {
  const known = new Set(configured.flatMap(linksOn));
  const refuseLink = (folder: string): void => {
    const link = linksOn(folder).find((path) => !known.has(path));
    if (link === undefined) return;
    throw new ToolError(
      'FAILED',
      `The sandbox confines nothing to ${folder}: expected a folder, found a link at ${link} to ${readlinkSync(link)}, which a program may have put there. Ask the user to put the folder back.`,
    );
  };
  return {
    name: sandbox.name,
    open: async (session) => {
      const { workingDirectory: folder } = session;
      refuseLink(folder);
      const confinement = await sandbox.open(session);
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

/** Returns the links of this user on the path of a folder. */
function linksOn(folder: string): readonly string[] {
  // a tool asks before each file, and one look tells of all folders on the way
  if (isReal(folder)) return [];
  const links: string[] = [];
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true && found.uid === process.getuid?.()) links.push(path);
  }
  return links;
}

function isReal(folder: string): boolean {
  try {
    return realpathSync.native(folder) === folder;
  } catch {
    return false;
  }
}
