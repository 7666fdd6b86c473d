import { z } from 'zod';
import { metaProfileSchema } from '../../descriptions/meta-profile.ts';
import { boolean, integer, keptAs, named, orNull } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';
import { profileParams } from './llm-profile-routes.ts';

const tag = 'Meta-profiles';
const missing = { 404: 'There are no such rules.' };
const unreadable = { 400: 'The stored rules cannot be used.' };

/** Rules that are kept under a name. */
const metaProfileInfoSchema = keptAs('MetaProfileInfo', {
  name: z.string(),
  classifier_model: orNull(z.string()),
  num_classes: integer().default(0),
});

/** Rules to keep. They need classes or a prompt, which stored rules may lack. */
const savedMetaProfileSchema: typeof metaProfileSchema = named(
  'SavedMetaProfile',
  metaProfileSchema.refine(
    ({ classes, prompt_template: prompt }) => classes.length > 0 || prompt !== null,
    'expected classes or a prompt_template, found neither',
  ),
);

/** Result of a change of rules. */
const mutationSchema = keptAs('MetaProfileMutationResponse', { name: z.string(), message: z.string() });

/** Routes of rules that choose among profiles of models by the kind of a task. Of OpenHands' 1.49. */
export const metaProfileRoutes = {
  list: defineRoute(tag, 'GET /api/meta-profiles', 'list_meta_profiles', 'List rules that choose among models', {
    scope: 'read',
    answer: keptAs('MetaProfileListResponse', {
      meta_profiles: z.array(metaProfileInfoSchema),
      active_meta_profile: orNull(z.string()),
    }),
  }),

  get: defineRoute(tag, 'GET /api/meta-profiles/{name}', 'get_meta_profile', 'Get rules that choose among models', {
    scope: 'read',
    params: profileParams,
    answer: keptAs('MetaProfileDetailResponse', { name: z.string(), config: metaProfileSchema }),
    errors: { ...unreadable, ...missing },
  }),

  /** Stores rules under a name, and replaces the rules of this name. */
  save: defineRoute(tag, 'POST /api/meta-profiles/{name}', 'save_meta_profile', 'Keep rules that choose among models', {
    scope: 'admin',
    params: profileParams,
    body: savedMetaProfileSchema,
    success: 201,
    answer: mutationSchema,
    errors: { 409: 'There are as many rules as can be kept.' },
  }),

  /** Removes rules; succeeds also if there are none. */
  remove: defineRoute(
    tag,
    'DELETE /api/meta-profiles/{name}',
    'delete_meta_profile',
    'Remove rules that choose among models',
    { scope: 'admin', params: profileParams, answer: mutationSchema },
  ),

  /** Lets agents choose their model by these rules from now on. */
  activate: defineRoute(
    tag,
    'POST /api/meta-profiles/{name}/activate',
    'activate_meta_profile',
    'Choose among models by these rules from now on',
    {
      scope: 'admin',
      params: profileParams,
      answer: keptAs('ActivateMetaProfileResponse', {
        name: z.string(),
        message: z.string(),
        /** False if the agent of the settings cannot choose a model. Of 1.58. */
        applied: boolean().default(true),
      }),
      errors: { ...unreadable, ...missing },
    },
  ),
};
