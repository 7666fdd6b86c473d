import type { Cipher, JsonObject } from '@conv/core';
import {
  activateProfile,
  getProfile,
  listProfiles,
  llmDescriptionSchema,
  removeProfile,
  renameProfile,
  saveProfile,
  validateProfile,
} from '@conv/protocol';
import type { FastifyInstance } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { exposed, exposureOf, readable } from './exposed.ts';
import type { Keep } from './keep.ts';
import { hasKey } from './llm-profiles.ts';

/** Serves the models that clients keep under names. */
export function serveLlmProfiles(app: FastifyInstance, keep: Keep, cipher: Cipher | undefined): void {
  const { llmProfiles: profiles, settings } = keep;
  const missing = (name: string): ApiError => new ApiError(404, `Profile '${name}' not found`);
  serveRoute(app, listProfiles, () =>
    readable('Profile', async () => {
      const { active_profile } = await settings.get();
      return { profiles: await profiles.list(), active_profile };
    }),
  );
  serveRoute(app, getProfile, ({ params: { name }, request }) =>
    readable('Profile', async () => {
      const exposure = exposureOf(request, cipher);
      const llm = await profiles.get(name);
      if (!llm) throw missing(name);
      return { name, config: exposed(llm, exposure, cipher), api_key_set: hasKey(llm) };
    }),
  );
  serveRoute(app, saveProfile, ({ params: { name }, body }) =>
    readable('Profile', async () => {
      await profiles.save(name, body.llm as unknown as JsonObject, { includeSecrets: body.include_secrets });
      return { name, message: `Profile '${name}' saved` };
    }),
  );
  serveRoute(app, removeProfile, ({ params: { name } }) =>
    readable('Profile', async () => {
      await profiles.delete(name);
      if ((await settings.get()).active_profile === name) await settings.patch({ active_profile: null });
      return { name, message: `Profile '${name}' deleted` };
    }),
  );
  serveRoute(app, renameProfile, ({ params: { name }, body: { new_name: newName } }) =>
    readable('Profile', async () => {
      const refused = await profiles.rename(name, newName);
      if (refused === 'missing') throw missing(name);
      if (refused === 'exists') throw new ApiError(409, `Profile '${newName}' already exists`);
      if ((await settings.get()).active_profile === name) await settings.patch({ active_profile: newName });
      return { name: newName, message: `Profile '${name}' renamed to '${newName}'` };
    }),
  );
  serveRoute(app, validateProfile, ({ body }) => {
    const { error } = llmDescriptionSchema.safeParse(body);
    if (!error) return { valid: true, error: null };
    const message = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { valid: false, error: { message } };
  });
  serveRoute(app, activateProfile, ({ params: { name } }) =>
    readable('Profile', async () => {
      const llm = await profiles.get(name);
      if (!llm) throw missing(name);
      await settings.patch({ active_profile: name, agent_settings_diff: { llm } });
      return { name, message: `Profile '${name}' activated`, llm_applied: true };
    }),
  );
}
