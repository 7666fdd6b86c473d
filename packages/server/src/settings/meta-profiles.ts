import type { JsonObject } from '@conv/core';
import { metaProfiles } from '@conv/openhands/descriptions';
import type { modelStoreRoutes, RouteTypes } from '@conv/openhands/rest';

import { NamedObjects } from './named-objects.ts';
import type { SettingsPlace } from './settings-place.ts';
import { StoredObjectError } from './stored-object-error.ts';

/** Rules that choose among model profiles. */
export type MetaProfile = RouteTypes<typeof modelStoreRoutes.rules.get>['answer']['config'];

/** The most rules that are kept, as on OpenHands' server. */
export const MAX_META_PROFILES = 50;

/** Rules as a list shows them. */
export interface ListedMetaProfile {
  readonly name: string;
  readonly classifier_model: string | null;
  readonly num_classes: number;
}

/** Rules by which agents choose among models, under names. They hold no secrets. */
export class MetaProfiles extends NamedObjects {
  constructor(place: Pick<SettingsPlace, 'metaProfiles'>) {
    super(place.metaProfiles);
  }

  /** Resolves with all rules, sorted by name. Leaves out what cannot be read. */
  async list(): Promise<readonly ListedMetaProfile[]> {
    const found = await Promise.all(
      (await this.names()).map(async (name) => {
        const stored = await this.get(name).catch((error: unknown) => {
          if (error instanceof StoredObjectError) return undefined;
          throw error;
        });
        return stored && listed(name, stored);
      }),
    );
    return found.filter((one) => one !== undefined);
  }

  /** Resolves with the rules of this name. Rejects {@link StoredObjectError} for an object that is none. */
  async read(name: string): Promise<MetaProfile | undefined> {
    const stored = await this.get(name);
    if (stored === undefined) return undefined;
    const rules = metaProfiles.schema.safeParse(stored);
    if (rules.success) return rules.data;
    throw new StoredObjectError(`meta-profiles/${name}`, { cause: rules.error });
  }

  /** Makes or replaces the rules of this name. Resolves with false if there are too many. */
  async save(name: string, rules: MetaProfile): Promise<boolean> {
    const names = await this.names();
    if (!names.includes(name) && names.length >= MAX_META_PROFILES) return false;
    await this.change(name, () => rules as unknown as JsonObject);
    return true;
  }
}

function listed(name: string, { classifier_model: model, classes }: JsonObject): ListedMetaProfile {
  return {
    name,
    classifier_model: typeof model === 'string' ? model : null,
    num_classes: Array.isArray(classes) ? classes.length : 0,
  };
}
