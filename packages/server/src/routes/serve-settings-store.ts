import type { SettingsServing } from './settings-serving.ts';
import type { FastifyInstance } from 'fastify';

import type { SettingsStore } from '../settings/settings-store.ts';
import { serveAgentProfiles } from './serve-agent-profiles.ts';
import { serveStoredSecrets } from './serve-stored-secrets.ts';
import { serveStoredSettings } from './serve-stored-settings.ts';
import { serveStoredWorkspaces } from './serve-stored-workspaces.ts';
import { serveLlmProfiles } from './serve-llm-profiles.ts';

/** Serves everything that clients store beside conversations. */
export function serveSettingsStore(app: FastifyInstance, settingsStore: SettingsStore, serving: SettingsServing): void {
  const { cipher } = serving;
  serveStoredSettings(app, settingsStore, cipher);
  serveStoredSecrets(app, settingsStore.secrets);
  serveLlmProfiles(app, settingsStore, serving);
  serveAgentProfiles(app, settingsStore, cipher);
  serveStoredWorkspaces(app, settingsStore.workspaces);
}
