-- What PostgreSQL says to a call: its value, <NULL>, or "22012 division by zero".
-- A call that fails leaves nothing behind.
CREATE FUNCTION pg_temp.answer_call(call text) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
    said text;
BEGIN
    EXECUTE 'SELECT CASE WHEN x IS NULL THEN ''<NULL>'' ELSE format(''%s'', x) END FROM (SELECT '
        || call || ' AS x) AS one' INTO said;
    RETURN said;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $body$;
