import { type Installations, type Installed, withoutCredentials } from '@conv/plugins';
import type { InstalledExtensions } from '@conv/server';

type Shown = Awaited<ReturnType<InstalledExtensions['install']>>;

/** Returns installations as the routes of a server need them. Addresses are shown without passwords; members of newer programs are shown, too. */
export function installedExtensions(installations: Installations): InstalledExtensions {
  const shown = (installed: Installed): Shown => {
    // the ref that was asked for is no part of the answer
    const { requested_ref: _, ...entry } = installed;
    return { ...withoutPasswords(entry), install_path: installations.directoryOf(entry) };
  };
  const orNone = (entry: Installed | undefined): Shown | undefined => entry && shown(entry);
  return {
    list: async () => (await installations.list()).map(shown),
    get: async (name) => orNone(await installations.get(name)),
    install: async ({ source, ref, repo_path: path }, options) =>
      shown(await installations.install({ source, ref, path }, options)),
    setEnabled: (name, enabled) => installations.setEnabled(name, enabled),
    remove: (name) => installations.remove(name),
    update: async (name) => orNone(await installations.update(name)),
  };
}

function withoutPasswords<Entry extends object>(entry: Entry): Entry {
  const members = Object.entries(entry).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? withoutCredentials(value) : value,
  ]);
  return Object.fromEntries(members) as Entry;
}
