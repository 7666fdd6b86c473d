/** The prefix of the usage ids of models from profiles, as in the reference; the profile's name follows. */
export const PROFILE_USAGE = 'profile:';
