/**
 * Names of secrets in the texts of descriptions, as OpenHands' servers read them: `$NAME`, `${NAME}` and `${NAME:-text}`.
 *
 * @packageDocumentation
 */
export {
  expandReferences,
  hasReference,
  referencesIn,
  type ReferenceValues,
  type SecretReference,
} from './descriptions/secret-references.ts';
