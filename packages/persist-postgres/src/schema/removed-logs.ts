/**
 * Returns the SQL that records, for the schema `s`, the logs whose conversations were deleted while forks read them. The last
 * fork removes such a log. A log without this record belongs to a conversation that exists, even if damage has taken its row.
 */
export const createRemovedLogs = (s: string): string => `
CREATE TABLE ${s}.removed_logs (log bigint PRIMARY KEY);
INSERT INTO ${s}.removed_logs (log)
SELECT DISTINCT log FROM ${s}.inherited i
WHERE NOT EXISTS (SELECT FROM ${s}.heads h WHERE h.key = i.log) AND NOT EXISTS (SELECT FROM ${s}.summaries c WHERE c.key = i.log);

CREATE OR REPLACE FUNCTION ${s}.remove(p_id uuid, p_void uuid[])
RETURNS TABLE (o_key bigint, o_epoch bigint, o_claim uuid, o_owner text, o_process text, o_until double precision)
LANGUAGE plpgsql AS $$
DECLARE
  h ${s}.heads;
  v_log bigint;
  v_end_seq bigint;
  v_end_event bigint;
  v_whole boolean;
BEGIN
  SELECT * INTO h FROM ${s}.heads WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT h.key, h.epoch, h.claim, h.owner, o.o_process, o.o_until FROM ${s}.living_owner(h.claim, h.token, p_void) o;
  IF FOUND THEN
    RETURN;
  END IF;
  FOR v_log IN SELECT h.key UNION SELECT log FROM ${s}.inherited WHERE key = h.key ORDER BY 1 LOOP
    -- Of two who remove the last users of a log at the same time the second one sees what the first one did.
    PERFORM FROM ${s}.inherited WHERE log = v_log ORDER BY key, first_seq FOR UPDATE;
    SELECT coalesce(max(i.end_seq), 0), coalesce(max(i.end_event), 0), coalesce(bool_and(i.seal IS NOT DISTINCT FROM ${s}.seal_of_span(i)), true)
    INTO v_end_seq, v_end_event, v_whole
    FROM ${s}.inherited i WHERE i.log = v_log AND i.key <> h.key;
    IF v_log = h.key THEN
      INSERT INTO ${s}.removed_logs (log) SELECT v_log WHERE v_end_seq > 0 ON CONFLICT DO NOTHING;
    ELSE
      -- A log is its own matter while its conversation is there; only a deletion ends that, not the loss of its row.
      CONTINUE WHEN EXISTS (SELECT FROM ${s}.heads WHERE key = v_log)
        OR NOT EXISTS (SELECT FROM ${s}.removed_logs WHERE log = v_log);
    END IF;
    -- A damaged span of another fork may have reached further than it says.
    CONTINUE WHEN NOT v_whole;
    DELETE FROM ${s}.commits WHERE log = v_log AND seq >= v_end_seq;
    DELETE FROM ${s}.event_ids WHERE log = v_log AND event >= v_end_event;
    DELETE FROM ${s}.removed_logs WHERE log = v_log AND v_end_seq = 0;
  END LOOP;
  DELETE FROM ${s}.inherited WHERE key = h.key;
  DELETE FROM ${s}.snapshots WHERE key = h.key;
  DELETE FROM ${s}.summaries WHERE key = h.key;
  DELETE FROM ${s}.heads WHERE key = h.key;
  PERFORM ${s}.require_durability();
  RETURN QUERY SELECT h.key, h.epoch, h.claim, h.owner, '', NULL::double precision;
END $$;`;
