/**
 * Returns the SQL for a copy of the settings of each conversation beside its log, for the schema `s`. A lost commit must not make
 * the settings weaker, so the copy is stored in the transaction of the commit that changed them.
 */
export const createKept = (s: string): string => `
ALTER TABLE ${s}.summaries ADD COLUMN kept text;
CREATE FUNCTION ${s}.keep(p_key bigint, p_kept text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ${s}.summaries SET kept = p_kept WHERE key = p_key;
  RETURN true;
END $$;`;
