/**
 * Plugins and skills: fetched from folders and git repositories, and installed where OpenHands has them.
 *
 * @packageDocumentation
 */
export { Installations, type InstallationsOptions, type Installed, type LoadedFolder } from './installations.ts';
export { type Marketplace, type MarketplaceEntry, readMarketplace } from './marketplace.ts';
export type { Limits } from './copy-folder.ts';
export { isPluginError, PluginError, type PluginErrorCode } from './plugin-error.ts';
export { type KeptSnapshot, Snapshots, type SnapshotsOptions } from './snapshots.ts';
export { parseSource, type ParsedSource, type Source, withoutCredentials } from './source.ts';
