/** Returns the SQL functions for ownership, for the schema `s`. Every time in them is the database's own. */
export const createOwnerFunctions = (s: string): string => `
CREATE FUNCTION ${s}.keep_alive(p_token uuid, p_process text, p_lease double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_lease interval := p_lease * interval '1 millisecond';
BEGIN
  INSERT INTO ${s}.owners AS o (token, process, lease_until) VALUES (p_token, p_process, clock_timestamp() + v_lease)
  ON CONFLICT (token) DO UPDATE SET lease_until = excluded.lease_until
  WHERE o.lease_until < excluded.lease_until - v_lease / 4;
END $$;

CREATE FUNCTION ${s}.living_owner(p_claim uuid, p_token uuid, p_void uuid[])
RETURNS TABLE (o_process text, o_until double precision) LANGUAGE sql AS $$
  SELECT process, extract(epoch FROM lease_until) * 1000 FROM ${s}.owners
  WHERE token = p_token AND p_claim IS NOT NULL AND NOT p_claim = ANY (p_void) AND lease_until > clock_timestamp();
$$;

CREATE FUNCTION ${s}.acquire(
  p_id uuid, p_create text, p_claim uuid, p_token uuid, p_owner text, p_process text, p_lease double precision,
  p_void uuid[], p_summary text[]
) RETURNS TABLE (
  o_outcome text, o_key bigint, o_epoch bigint, o_turn bigint, o_next_seq bigint, o_next_event bigint, o_own_from bigint,
  o_claim uuid, o_owner text, o_process text, o_until double precision
) LANGUAGE plpgsql AS $$
DECLARE
  h ${s}.heads;
  v_until double precision;
  v_process text;
BEGIN
  PERFORM ${s}.keep_alive(p_token, p_process, p_lease);
  LOOP
    SELECT * INTO h FROM ${s}.heads WHERE id = p_id FOR UPDATE;
    EXIT WHEN FOUND;
    IF p_create = 'never' THEN
      RETURN QUERY SELECT 'NOT_FOUND', 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, NULL::uuid, '', '', NULL::double precision;
      RETURN;
    END IF;
    INSERT INTO ${s}.heads (id, birth) VALUES (p_id, p_claim) ON CONFLICT (id) DO NOTHING RETURNING * INTO h;
    IF FOUND THEN
      INSERT INTO ${s}.summaries (key, id, title, status, created_at, updated_at, tags, parent_id, forked_from)
      VALUES (h.key, p_id, p_summary[1], p_summary[2], p_summary[3], date_trunc('milliseconds', h.changed_at), p_summary[4],
        p_summary[5], p_summary[6]);
      EXIT;
    END IF;
  END LOOP;
  -- A call whose answer was lost is made again with the same claim.
  IF h.claim IS DISTINCT FROM p_claim THEN
    SELECT o.o_process, o.o_until INTO v_process, v_until FROM ${s}.living_owner(h.claim, h.token, p_void) o;
    IF p_create = 'must' AND h.birth <> p_claim THEN
      RETURN QUERY SELECT 'EXISTS', h.key, h.epoch, h.turn, h.next_seq, h.next_event, h.own_from, h.claim, h.owner, v_process, v_until;
      RETURN;
    ELSIF v_until IS NOT NULL THEN
      RETURN QUERY SELECT 'OWNED', h.key, h.epoch, h.turn, h.next_seq, h.next_event, h.own_from, h.claim, h.owner, v_process, v_until;
      RETURN;
    END IF;
    UPDATE ${s}.heads SET epoch = epoch + 1, claim = p_claim, token = p_token, owner = p_owner
    WHERE key = h.key RETURNING * INTO h;
    UPDATE ${s}.summaries SET updated_at = date_trunc('milliseconds', h.changed_at)
    WHERE key = h.key AND updated_at <> date_trunc('milliseconds', h.changed_at);
  END IF;
  PERFORM ${s}.require_durability();
  RETURN QUERY SELECT 'ACQUIRED', h.key, h.epoch, h.turn, h.next_seq, h.next_event, h.own_from, h.claim, h.owner, p_process, NULL::double precision;
END $$;

CREATE FUNCTION ${s}.release(p_key bigint, p_claim uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_changed timestamptz;
BEGIN
  UPDATE ${s}.heads SET claim = NULL, token = NULL, owner = NULL WHERE key = p_key AND claim = p_claim
  RETURNING changed_at INTO v_changed;
  UPDATE ${s}.summaries SET updated_at = date_trunc('milliseconds', v_changed)
  WHERE key = p_key AND v_changed IS NOT NULL AND updated_at <> date_trunc('milliseconds', v_changed);
END $$;

CREATE FUNCTION ${s}.heartbeat(
  p_token uuid, p_process text, p_lease double precision, p_keys bigint[], p_epochs bigint[], p_void uuid[]
) RETURNS TABLE (o_lost bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ${s}.keep_alive(p_token, p_process, p_lease);
  IF cardinality(p_void) > 0 THEN
    UPDATE ${s}.heads SET claim = NULL, token = NULL, owner = NULL WHERE token = p_token AND claim = ANY (p_void);
  END IF;
  RETURN QUERY
    SELECT t.k FROM unnest(p_keys, p_epochs) AS t (k, e)
    LEFT JOIN ${s}.heads h ON h.key = t.k WHERE h.epoch IS DISTINCT FROM t.e;
END $$;

CREATE FUNCTION ${s}.farewell(p_token uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE ${s}.heads SET claim = NULL, token = NULL, owner = NULL WHERE token = p_token;
  DELETE FROM ${s}.owners o WHERE o.token = p_token OR (
    o.lease_until < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM ${s}.heads h WHERE h.token = o.token)
  );
$$;`;
