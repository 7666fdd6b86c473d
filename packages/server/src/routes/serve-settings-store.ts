import type { KeepServing } from './settings-serving.ts';
import type { FastifyInstance } from 'fastify';

import type { Keep } from '../settings/settings-store.ts';
import { serveAgentProfiles } from './serve-agent-profiles.ts';
import { serveKeptSecrets } from './serve-stored-secrets.ts';
import { serveKeptSettings } from './serve-stored-settings.ts';
import { serveKeptWorkspaces } from './serve-stored-workspaces.ts';
import { serveLlmProfiles } from './serve-llm-profiles.ts';

/** Serves everything that clients keep beside conversations. */
export function serveKeep(app: FastifyInstance, keep: Keep, serving: KeepServing): void {
  const { cipher } = serving;
  serveKeptSettings(app, keep, cipher);
  serveKeptSecrets(app, keep.secrets);
  serveLlmProfiles(app, keep, serving);
  serveAgentProfiles(app, keep, cipher);
  serveKeptWorkspaces(app, keep.workspaces);
}
