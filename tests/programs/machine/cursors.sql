-- Explicit cursors, well and badly used; test_engine.c has what PostgreSQL says.
CREATE TABLE t (id int PRIMARY KEY, v int, s text);

CREATE FUNCTION load(p_scale bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, NULL), (4, 40, 'd');
END $$;

-- What is written while a cursor is open does not change it. Words that are cursors' elsewhere may be names.
CREATE FUNCTION written(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    open int := 1;
    "C" CURSOR (a int, b text) FOR SELECT id, s -- ; FETCH
        FROM t WHERE v > a AND (s <> b OR b IS NULL)
        ORDER BY id;
    x int;
    y text;
    close text := '';
BEGIN
    OPEN "C"(p + GREATEST(0, open), 'b');
    UPDATE t SET s = s || 'x';
    LOOP
        FETCH NEXT FROM "C" INTO x, y;
        EXIT WHEN NOT FOUND;
        open := open + 1;
        close := close || x || COALESCE(y, '-');
    END LOOP;
    CLOSE "C";
    FOR r IN "C" (p - 10, NULL) LOOP
        close := close || CASE WHEN FOUND THEN '/' ELSE '|' END || r.id || COALESCE(r.s, '-');
        EXIT WHEN r.id = 3;
    END LOOP;
    RETURN close || FOUND || open || COALESCE(x::text, 'null');
END $$;

CREATE FUNCTION unnamed(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c refcursor;
    r record;
    res text := '';
BEGIN
    OPEN c FOR SELECT * FROM t WHERE id >= p ORDER BY id DESC;
    LOOP
        FETCH IN c INTO r;
        EXIT WHEN NOT FOUND;
        res := res || r.id || COALESCE(r.s, '-');
    END LOOP;
    IF p = 1 THEN
        OPEN c FOR SELECT * FROM t;
    ELSIF p = 2 THEN
        CLOSE c;
        CLOSE c;
    ELSIF p = 3 THEN
        CLOSE c; OPEN c NO SCROLL FOR SELECT * FROM t WHERE v = 20; FETCH c INTO r; CLOSE c; res := res || r.s;
    END IF;
    RETURN res;
END $$;

-- A cursor of the same name.
CREATE FUNCTION first_id() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    c CURSOR FOR SELECT id FROM t ORDER BY id;
BEGIN
    FOR r IN c LOOP
        RETURN r.id;
    END LOOP;
    RETURN 0;
END $$;

CREATE FUNCTION misused(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c NO SCROLL CURSOR IS SELECT id FROM t;
    d refcursor;
    x int NOT NULL := 5;
BEGIN
    IF p = 1 THEN
        FETCH c INTO x;
    ELSIF p = 2 THEN
        CLOSE d;
    ELSIF p = 3 THEN
        OPEN c;
    ELSIF p = 4 THEN
        OPEN c;
        OPEN c;
    ELSIF p = 5 THEN
        OPEN c;
        RETURN misused(3);
    ELSIF p = 6 THEN
        RETURN misused(3) || misused(3);
    ELSIF p = 7 THEN
        OPEN c;
        RETURN unnamed(4);
    ELSIF p = 8 THEN
        RETURN first_id() + first_id();
    ELSIF p = 9 THEN
        OPEN c;
        RETURN first_id();
    ELSIF p = 10 THEN
        DECLARE
            c CURSOR (k int) FOR SELECT id FROM t WHERE id > k;
        BEGIN
            OPEN c(100);
            FETCH c INTO x;
        END;
    END IF;
    RETURN 'ok';
END $$;
