import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { type LlmDescription, llmDescriptionSchema } from '../../descriptions/llm.ts';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, jsonObject } from '../../schema/scalars.ts';

/** A model that is kept under a name. */
export interface LlmProfileInfo {
  readonly name: string;
  readonly model: string | null;
  readonly base_url: string | null;
  readonly provider_connection_id: string | null;
  readonly provider_connection_broken: boolean;
  readonly api_key_set: boolean;
}

const llmProfileInfoSchema: z.ZodType<LlmProfileInfo> = named(
  'ProfileInfo',
  answer({
    name: z.string(),
    model: orNull(z.string()),
    base_url: orNull(z.string()),
    provider_connection_id: orNull(z.string()),
    provider_connection_broken: boolean().default(false),
    api_key_set: boolean().default(false),
  }),
);

/** All models that are kept. */
export interface LlmProfileList {
  readonly profiles: readonly LlmProfileInfo[];
  readonly active_profile: string | null;
}

/** The schema of {@link LlmProfileList}. */
export const llmProfileListSchema: z.ZodType<LlmProfileList> = named(
  'ProfileListResponse',
  answer({
    profiles: z.array(llmProfileInfoSchema),
    active_profile: orNull(z.string()),
  }),
);

/** A model that is kept, with all its settings. */
export interface LlmProfileDetail {
  readonly name: string;
  readonly config: JsonObject;
  readonly api_key_set: boolean;
}

/** The schema of {@link LlmProfileDetail}. */
export const llmProfileDetailSchema: z.ZodType<LlmProfileDetail> = named(
  'ProfileDetailResponse',
  answer({
    name: z.string(),
    config: jsonObject,
    api_key_set: boolean().default(false),
  }),
);

/** What was done to a profile. */
export interface ProfileMutationResponse {
  readonly name: string;
  readonly message: string;
}

/** The schema of {@link ProfileMutationResponse}. */
export const profileMutationResponseSchema: z.ZodType<ProfileMutationResponse> = named(
  'ProfileMutationResponse',
  answer({
    name: z.string(),
    message: z.string(),
  }),
);

/** A model to keep under a name. */
export interface SaveProfileRequest {
  readonly llm: LlmDescription;
  /** Whether its secrets are kept, too. */
  readonly include_secrets: boolean;
}

/** The schema of {@link SaveProfileRequest}. */
export const saveProfileRequestSchema: z.ZodType<SaveProfileRequest> = named(
  'SaveProfileRequest',
  request({ llm: llmDescriptionSchema, include_secrets: boolean().default(true) }),
);

/** A new name. */
export interface RenameProfileRequest {
  readonly new_name: string;
}

/** The schema of a name of a profile. */
export const profileNameSchema: z.ZodType<string> = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

/** The schema of {@link RenameProfileRequest}. */
export const renameProfileRequestSchema: z.ZodType<RenameProfileRequest> = named(
  'RenameProfileRequest',
  request({ new_name: profileNameSchema }),
);

/** A model to try before it is kept. */
export interface ValidateProfileRequest {
  readonly llm: LlmDescription;
}

/** The schema of {@link ValidateProfileRequest}. */
export const validateProfileRequestSchema: z.ZodType<ValidateProfileRequest> = named(
  'ValidateProfileRequest',
  request({ llm: llmDescriptionSchema }),
);

/** What is wrong with a profile. */
export interface ValidateProfileResponse {
  readonly valid: boolean;
  readonly error: JsonObject | null;
}

/** The schema of {@link ValidateProfileResponse}. */
export const validateProfileResponseSchema: z.ZodType<ValidateProfileResponse> = named(
  'ValidateProfileResponse',
  answer({ valid: boolean(), error: orNull(jsonObject) }),
);

/** Which profile is used from now on. */
export interface ActivateProfileResponse {
  readonly name: string;
  readonly message: string;
  readonly llm_applied: boolean;
}

/** The schema of {@link ActivateProfileResponse}. */
export const activateProfileResponseSchema: z.ZodType<ActivateProfileResponse> = named(
  'ActivateProfileResponse',
  answer({
    name: z.string(),
    message: z.string(),
    llm_applied: boolean().default(true),
  }),
);
