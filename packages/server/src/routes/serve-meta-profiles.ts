import type { JsonObject } from '@conv/core';
import { modelStoreRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingStored } from './settings-serving.ts';
import { accessOf } from '../auth/caller.ts';
import { checkKept } from '../auth/approver-checks.ts';
import { ApiError } from '../http/api-error.ts';
import { MAX_META_PROFILES, type MetaProfile, type MetaProfiles } from '../settings/meta-profiles.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { StoredObjectError } from '../settings/stored-object-error.ts';

/** Serves the rules by which agents choose among models. */
export function serveMetaProfiles(app: FastifyInstance, { metaProfiles, settings }: SettingsStore): void {
  const serve = servingStored(app, 'Settings');
  const { rules: routes } = modelStoreRoutes;
  serve(routes.list, async () => {
    const { active_meta_profile } = await settings.get();
    return { meta_profiles: await metaProfiles.list(), active_meta_profile };
  });
  serve(routes.get, async ({ params: { name } }) => ({ name, config: await rulesOf(metaProfiles, name) }));
  serve(routes.save, async ({ params: { name }, body }) => {
    if (!(await metaProfiles.save(name, body)))
      throw new ApiError(
        409,
        `Meta-profile limit reached (${MAX_META_PROFILES}). Delete a meta-profile before saving a new one.`,
      );
    return { name, message: `Meta-profile '${name}' saved` };
  });
  serve(routes.remove, async ({ params: { name } }) => {
    await metaProfiles.delete(name);
    if ((await settings.get()).active_meta_profile === name)
      await settings.patch({ active_meta_profile: null, agent_settings_diff: { meta_profile: null } });
    return { name, message: `Meta-profile '${name}' deleted` };
  });
  serve(routes.activate, async ({ params: { name }, request }) => {
    const rules = await rulesOf(metaProfiles, name);
    const after = await settings.patch(
      { active_meta_profile: name, agent_settings_diff: { meta_profile: rules as unknown as JsonObject } },
      (kept, before) => checkKept(accessOf(request), before, kept),
    );
    const applied = after.active_meta_profile === name;
    const message = applied
      ? `Meta-profile '${name}' activated`
      : `Meta-profile '${name}' not activated: the current agent settings cannot route between models`;
    return { name, message, applied };
  });
}

/** Resolves with stored rules. Rejects {@link ApiError} 404 if there are none, 400 if they cannot be used. */
export async function rulesOf(metaProfiles: MetaProfiles, name: string): Promise<MetaProfile> {
  let rules: MetaProfile | undefined;
  try {
    rules = await metaProfiles.read(name);
  } catch (cause) {
    if (!(cause instanceof StoredObjectError)) throw cause;
    throw new ApiError(400, `Failed to load meta-profile \`${name}\`: it cannot be read`, { cause });
  }
  if (rules === undefined) throw new ApiError(404, `Meta-profile '${name}' not found`);
  return rules;
}
