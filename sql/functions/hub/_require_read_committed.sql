-- Refuses to go on in a transaction that is not READ COMMITTED: under any other isolation a row is not
-- read anew after its lock was waited for, and the rules of the caller would not hold.
-- Raises: KH500.
-- Locks: none.
-- Callers: every function that writes.
CREATE OR REPLACE FUNCTION hub._require_read_committed()
RETURNS void
LANGUAGE plpgsql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'KH500',
            MESSAGE = 'this function works in a READ COMMITTED transaction only',
            HINT = 'Call it as one autocommit statement.';
    END IF;
END;
$$;

COMMENT ON FUNCTION hub._require_read_committed() IS
    'Raises KH500 unless the transaction is READ COMMITTED.';
