import { metaProfileRoutes } from './meta-profile-routes.ts';
import { providerConnectionRoutes } from './provider-connection-routes.ts';

/** Routes of what is stored for models beside their profiles: rules that choose among profiles, and keys that profiles share. */
export const modelStoreRoutes = { rules: metaProfileRoutes, connections: providerConnectionRoutes };
