import { type Installations, type Installed, withoutCredentials } from '@conv/plugins';
import type { InstalledExtensions } from '@conv/server';

type Shown = Awaited<ReturnType<InstalledExtensions['install']>>;

/** Returns installations as the routes of a server need them. Sources are shown without passwords. */
export function installedExtensions(installations: Installations): InstalledExtensions {
  const shown = ({
    name,
    version,
    description,
    enabled,
    source,
    resolved_ref,
    repo_path,
    installed_at,
  }: Installed): Shown => ({
    name,
    version,
    description,
    enabled,
    source: withoutCredentials(source),
    resolved_ref,
    repo_path,
    installed_at,
    install_path: installations.directoryOf({ name }),
  });
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
