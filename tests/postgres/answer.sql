-- What PostgreSQL says to a line of sql_row: "integer=3", "integer IS NULL",
-- "22012 division by zero".
CREATE FUNCTION pg_temp.answer(line text) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
    show CONSTANT text := $$pg_typeof(x)::text ||
        CASE WHEN x IS NULL THEN ' IS NULL' ELSE '=' || format('%s', x) END$$;
    target text;
    said text;
BEGIN
    IF line LIKE '% <- %' THEN
        target := split_part(line, ' <- ', 1);
        EXECUTE 'CREATE TEMPORARY TABLE target (x ' || target || ')';
        EXECUTE 'INSERT INTO target VALUES (' || split_part(line, ' <- ', 2) || ')';
        EXECUTE 'SELECT ' || show || ' FROM target' INTO said;
        DROP TABLE target;
    ELSIF line LIKE '% := %' THEN
        target := split_part(line, ' := ', 1);
        EXECUTE 'CREATE OR REPLACE FUNCTION pg_temp.assign() RETURNS text LANGUAGE plpgsql AS '
            || quote_literal('DECLARE x ' || target || '; BEGIN x := '
                || split_part(line, ' := ', 2) || '; RETURN ' || show || '; END');
        said := pg_temp.assign();
    ELSE
        EXECUTE 'SELECT ' || show || ' FROM (SELECT ' || line || ' AS x) AS one' INTO said;
    END IF;
    RETURN said;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $body$;
