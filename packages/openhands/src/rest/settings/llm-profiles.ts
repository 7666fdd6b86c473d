import { z } from 'zod';
import { llmDescriptionSchema } from '../../descriptions/llm.ts';
import { boolean, jsonObject, keptAs, orNull, requestAs } from '../../schema/index.ts';

const llmProfileInfoSchema = keptAs('ProfileInfo', {
  name: z.string(),
  model: orNull(z.string()),
  base_url: orNull(z.string()),
  provider_connection_id: orNull(z.string()),
  provider_connection_broken: boolean().default(false),
  api_key_set: boolean().default(false),
});

export const llmProfileListSchema = keptAs('ProfileListResponse', {
  profiles: z.array(llmProfileInfoSchema),
  active_profile: orNull(z.string()),
});

export const llmProfileDetailSchema = keptAs('ProfileDetailResponse', {
  name: z.string(),
  config: jsonObject,
  api_key_set: boolean().default(false),
});

/** Result of a change of a profile. */
export const profileMutationResponseSchema = keptAs('ProfileMutationResponse', {
  name: z.string(),
  message: z.string(),
});

/** A model to keep under a name. */
export const saveProfileRequestSchema = requestAs('SaveProfileRequest', {
  llm: llmDescriptionSchema,
  /** True if its secrets are stored, too. */
  include_secrets: boolean().default(true),
});

/** The schema of a name of a profile. */
export const profileNameSchema: z.ZodType<string> = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

export const renameProfileRequestSchema = requestAs('RenameProfileRequest', { new_name: profileNameSchema });

/** A model to try before it is kept. */
export const validateProfileRequestSchema = requestAs('ValidateProfileRequest', { llm: llmDescriptionSchema });

/** Result of checking a profile. */
export const validateProfileResponseSchema = keptAs('ValidateProfileResponse', {
  valid: boolean(),
  error: orNull(jsonObject),
});

/** Name of the profile that is used from now on. */
export const activateProfileResponseSchema = keptAs('ActivateProfileResponse', {
  name: z.string(),
  message: z.string(),
  llm_applied: boolean().default(true),
});
