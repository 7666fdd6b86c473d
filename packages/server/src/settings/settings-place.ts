import type { Cipher, JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';

/** A JSON object that clients store on a server. It is read each time, so that several processes may use it. */
export interface StoredObject {
  /** Its place, for people. */
  readonly place: string;
  /** Resolves with the object; `undefined` when there is none. Rejects `StoredObjectError` unless it is a JSON object. */
  read(): Promise<JsonObject | undefined>;
  /**
   * Replaces the object by the result of `work`; `undefined` leaves it unchanged. Resolves when it is durable. `work` is called again if
   * another process was first.
   */
  change(work: (before: JsonObject | undefined) => JsonObject | undefined): Promise<void>;
  /** Removes the object. Resolves with true if it existed. */
  remove(): Promise<boolean>;
}

/** Objects by names. */
export interface ObjectsByName {
  /** Resolves with the names of all objects, and with others that no object may have. */
  names(): Promise<readonly string[]>;
  /** Returns the object of a name. Each call for a name has the same turns. */
  object(name: string): StoredObject;
}

/** The place of all that clients store on a server beside conversations. */
export interface SettingsPlace {
  readonly settings: StoredObject;
  readonly secrets: StoredObject;
  readonly workspaces: StoredObject;
  readonly providerConnections: StoredObject;
  readonly llmProfiles: ObjectsByName;
  readonly agentProfiles: ObjectsByName;
  readonly metaProfiles: ObjectsByName;
}

/** Parts of the objects that clients store. */
export interface SettingsDeps {
  readonly place: SettingsPlace;
  /** Encrypts keys and values. */
  readonly cipher: Cipher | undefined;
  readonly platform: Pick<Platform, 'id' | 'now'>;
}
