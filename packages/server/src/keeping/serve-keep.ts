import type { Cipher } from '@conv/core';
import type { FastifyInstance } from 'fastify';

import type { Keep } from './keep.ts';
import { serveAgentProfiles } from './serve-agent-profiles.ts';
import { serveKeptSecrets } from './serve-kept-secrets.ts';
import { serveKeptSettings } from './serve-kept-settings.ts';
import { serveKeptWorkspaces } from './serve-kept-workspaces.ts';
import { serveLlmProfiles } from './serve-llm-profiles.ts';

/** Serves everything that clients keep beside conversations. */
export function serveKeep(app: FastifyInstance, keep: Keep, cipher: Cipher | undefined): void {
  serveKeptSettings(app, keep, cipher);
  serveKeptSecrets(app, keep.secrets);
  serveLlmProfiles(app, keep, cipher);
  serveAgentProfiles(app, keep, cipher);
  serveKeptWorkspaces(app, keep.workspaces);
}
