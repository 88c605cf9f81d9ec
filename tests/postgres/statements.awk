# statements.awk: a program of generated statements, always the same.
#
#     awk -f statements.awk -v count=300 -v seed=1
#
# Three small tables with every kind of constraint, and functions f1(x bigint, y
# int, t text, n numeric, b boolean, d timestamp, l bigint[]) and so on, each with
# a statement or two over them. Nothing depends on an order that PostgreSQL leaves open: results
# are ordered by keys, and no statement moves the keys of many rows.

function draw(below) {
    state = state * 48271 % 2147483647
    return int(state / 8) % below
}
# One of the alternatives, in which CAT stands for `||`.
function one_of(list,    part, n, it) {
    n = split(list, part, "|")
    it = part[1 + draw(n)]
    gsub(/ CAT /, " || ", it)
    return it
}

# --- Expressions of a type; columns[type] are those in reach, `|` between ------

function column(type, otherwise) {
    return columns[type] != "" && draw(3) ? one_of(columns[type]) : otherwise
}

function int_of(depth) {
    if (depth <= 0 || draw(4) == 0) return column("int", one_of("y|0|1|2|5|(-3)|12|NULL::int"))
    return int_node(one_of("sum|sum|product|quotient|rest|case|choice|coalesce|abs|length|count|" \
        "greatest|nullif"), depth - 1)
}
function int_node(kind, d) {
    if (kind == "sum") return "(" int_of(d) one_of(" + | - ") int_of(d) ")"
    if (kind == "product") return "(" int_of(d) " * " one_of("2|3|-1") ")"
    if (kind == "quotient") return "(" int_of(d) " / " one_of("2|7|-4") ")"
    if (kind == "rest") return "(" int_of(d) " % " one_of("2|3|-5") ")"
    if (kind == "case") return "CASE WHEN " bool_of(d) " THEN " int_of(d) \
        (draw(3) ? " ELSE " int_of(d) : "") " END"
    if (kind == "choice") return "CASE " int_of(d) " WHEN " int_of(d) " THEN " int_of(d) \
        " WHEN " int_of(0) " THEN " int_of(0) (draw(3) ? " ELSE " int_of(d) : "") " END"
    if (kind == "coalesce") return "COALESCE(" int_of(d) ", " int_of(d) ")"
    if (kind == "nullif") return "NULLIF(" int_of(d) ", " int_of(d) ")"
    if (kind == "abs") return "abs(" int_of(d) ")"
    if (kind == "length") return "length(" text_of(d) ")"
    if (kind == "count") return draw(3) ? "cardinality(" list_of(d) ")" : \
        "array_length(" list_of(d) ", 1)"
    return one_of("greatest|least") "(" int_of(d) ", " int_of(d) ")"
}
function big_of(depth) {
    if (depth <= 0 || draw(3) == 0) return column("big", one_of("x|x|3::bigint|40"))
    if (draw(3) == 0) return int_of(depth)
    if (draw(8) == 0) return "(" list_of(depth - 1) ")[" int_of(0) "]"
    return "(" big_of(depth - 1) one_of(" + | - | * ") big_of(depth - 1) ")"
}
function num_of(depth) {
    if (depth <= 0 || draw(3) == 0) return column("num", one_of("n|n|1.25|0.333|(-7.0)|100"))
    if (draw(6) == 0) return big_of(depth) "::numeric"
    if (draw(5) == 0) return "round(" num_of(depth - 1) ", " draw(3) ")"
    if (draw(5) == 0) return "(" num_of(depth - 1) " / " one_of("3|0.7|8") ")"
    if (draw(4) == 0) return "(" num_of(depth - 1) " * " one_of("3|0.25|-1.0") ")"
    return "(" num_of(depth - 1) one_of(" + | - ") num_of(depth - 1) ")"
}
function text_of(depth) {
    if (depth <= 0 || draw(3) == 0) return column("text", one_of("t|t|'ab'|''|'B''s'|'abc'"))
    if (draw(5) == 0) return "substr(" text_of(depth - 1) ", " draw(4) ", " draw(5) ")"
    if (draw(5) == 0) return one_of("lower|upper") "(" text_of(depth - 1) ")"
    if (draw(6) == 0) return "COALESCE(" text_of(depth - 1) ", 'none')"
    if (draw(6) == 0) return "lpad(" text_of(depth - 1) ", " draw(9) ", '-')"
    if (draw(4) == 0) return "(" text_of(depth - 1) " || " big_of(depth - 1) ")"
    if (draw(5) == 0) return any_of(one_of("num|time|list|bool"), depth - 1) "::text"
    return "(" text_of(depth - 1) " || " text_of(depth - 1) ")"
}
function time_of(depth) {
    if (depth <= 0 || draw(2)) return column("time", one_of("d|d|timestamp '2000-01-03 00:00:05'|" \
        "timestamp '1999-12-31'|NULL::timestamp"))
    if (draw(2)) return one_of("greatest|least|COALESCE") "(" time_of(depth - 1) ", " \
        time_of(depth - 1) ")"
    return "CASE WHEN " bool_of(depth - 1) " THEN " time_of(depth - 1) " ELSE " \
        time_of(depth - 1) " END"
}
function list_of(depth) {
    if (depth <= 0 || draw(2)) return column("list", one_of("l|l|'{1,NULL,5}'::bigint[]|" \
        "'{}'::bigint[]|NULL::bigint[]"))
    if (draw(3) == 0) return "array_append(" list_of(depth - 1) ", " big_of(0) "::bigint)"
    if (draw(3) == 0) return "ARRAY[x, " big_of(depth - 1) ", " int_of(0) "]"
    if (draw(3) == 0) return "COALESCE(" list_of(depth - 1) ", " list_of(0) ")"
    return "(" list_of(depth - 1) " || " list_of(depth - 1) ")"
}
function any_of(type, depth) {
    if (type == "int") return int_of(depth)
    if (type == "big") return big_of(depth)
    if (type == "num") return num_of(depth)
    if (type == "bool") return bool_of(depth)
    if (type == "time") return time_of(depth)
    if (type == "list") return list_of(depth)
    return text_of(depth)
}
function bool_of(depth,    type, i, text) {
    if (depth <= 0) return column("bool", one_of("b|true|false|(b IS NULL)"))
    if (draw(5) == 0) return "(" bool_of(depth - 1) one_of(" AND | OR ") bool_of(depth - 1) ")"
    if (draw(8) == 0) return "(NOT " bool_of(depth - 1) ")"
    if (draw(12) == 0) return "(" bool_of(depth - 1) one_of(" IS TRUE| IS NOT FALSE| IS NULL") ")"
    type = one_of("int|int|big|num|text|text|time|list")
    if (draw(14) == 0) return "(" text_of(depth - 1) one_of(" LIKE | NOT LIKE ") \
        (draw(3) ? one_of("'%b%'|'_b'|'k1%'|'s_'|'%1'|'%\\_'|'%x_' ESCAPE 'x'|'_\\%%' ESCAPE ''") : text_of(depth - 1) " || '%'") ")"
    if (draw(10) == 0) return "(" big_of(depth - 1) " = ANY (" list_of(depth - 1) "))"
    if (draw(8) == 0) return "(" any_of(type, depth - 1) one_of(" IS NULL| IS NOT NULL") ")"
    if (draw(8) == 0) return "(" any_of(type, depth - 1) one_of(" BETWEEN | NOT BETWEEN ") \
        any_of(type, 0) " AND " any_of(type, 0) ")"
    if (draw(7) == 0) {
        for (i = draw(4); i >= 0; i--) text = text (text == "" ? "" : ", ") any_of(type, draw(2))
        return "(" any_of(type, depth - 1) one_of(" IN | NOT IN ") "(" text "))"
    }
    if (draw(10) == 0) return "(" any_of(type, depth - 1) " IS DISTINCT FROM " \
        any_of(type, depth - 1) ")"
    return "(" any_of(type, depth - 1) one_of(" = | = | <> | < | <= | > | >= ") \
        any_of(type, depth - 1) ")"
}

# --- Tables ----------------------------------------------------------------------

# What is in reach: the variables, and columns of p, c, e or of p and c together.
function reach(tables) {
    columns["int"] = columns["big"] = columns["num"] = columns["text"] = columns["bool"] = ""
    columns["time"] = columns["list"] = ""
    if (tables ~ /p/) add("a", "id|w", "m", "s", "f")
    if (tables ~ /c/) add("v", "k1|p_id", "", "k2", "")
    if (tables ~ /e/) add("z", "e_id|boss", "pay", "", "")
    if (tables ~ /e/) columns["time"] = "since"
    if (tables ~ /e/) columns["list"] = "list"
}
function join_columns(type, more) {
    if (more != "") columns[type] = columns[type] (columns[type] == "" ? "" : "|") more
}
function add(ints, bigs, nums, texts, bools) {
    join_columns("int", ints)
    join_columns("big", bigs)
    join_columns("num", nums)
    join_columns("text", texts)
    join_columns("bool", bools)
}

# Conditions that a program would have: something is pinned, or a range.
function where(tables,    usual, other) {
    reach(tables)
    other = bool_of(2)
    if (tables ~ /p/) usual = one_of("id = x|id = y|a = y|id IN (x, y, 3)|id > x|" \
        "id BETWEEN y AND x|s = t|s = 's' CAT y|m >= n|w = x")
    if (tables ~ /c/ && draw(2)) usual = one_of("k1 = x|k1 = x AND k2 = t|k1 = y|p_id = x|" \
        "k2 = 'k' CAT y|k1 < x AND k2 > t")
    if (tables ~ /e/ && draw(2)) usual = one_of("e_id = x|boss = y|e_id >= y|since <= d|list = l|" \
        "x = ANY (list)")
    if (usual == "" || draw(3) == 0) return other
    return draw(2) ? usual " AND " other : usual
}

function key_of(tables) {
    if (tables == "p") return "id"
    if (tables == "c") return "k1, k2"
    if (tables == "e") return "e_id"
    return tables == "pc" ? "id, k1, k2" : tables == "pe" ? "id, e_id" : "id, k1, k2, e_id"
}
function from_of(tables) {
    if (tables == "p") return "p"
    if (tables == "c") return "c"
    if (tables == "e") return "e"
    if (tables == "pc") return one_of("p JOIN c ON p_id = id|p, c|" \
        "c JOIN p ON id = p_id AND v > 0|p JOIN c ON k1 = id")
    if (tables == "pe") return one_of("p, e|p JOIN e ON e_id = id|e JOIN p ON boss = w")
    return "p JOIN c ON p_id = id JOIN e ON e_id = " one_of("w|k1|id")
}

# Tables that are not there more than once; what is null of them is told from what is not.
function outer_from(    kind) {
    kind = draw(7)
    if (kind == 0) return "p LEFT JOIN c ON p_id = id AND " bool_of(1)
    if (kind == 1) return "c LEFT JOIN p ON id = p_id"
    if (kind == 2) return "c RIGHT JOIN p ON p_id = id AND v > y"
    if (kind == 3) return "p LEFT JOIN c ON k1 = id AND k2 > t LEFT JOIN e ON e_id = v"
    if (kind == 4) return "p JOIN e ON e_id = id LEFT JOIN c ON p_id = boss AND id <> x"
    if (kind == 5) return "p LEFT JOIN e ON boss = id JOIN c ON p_id = id AND (v > e_id OR e_id IS NULL)"
    return "e LEFT JOIN p ON " one_of("id = boss|w > e_id|x = 3|id = e_id AND f|false")
}
function select_outer(    from, tables, n, i, outputs, take) {
    reach("pc")
    from = outer_from()
    tables = (from ~ /p / ? "p" : from ~ / p/ ? "p" : "") (from ~ /(^| )c / ? "c" : "") (from ~ /(^| )e / ? "e" : "")
    if (from ~ / p ON/ && tables !~ /p/) tables = tables "p"
    if (from ~ /^p LEFT JOIN c ON p_id = id AND/) tables = "pc"
    reach(tables)
    n = 1 + draw(2)
    for (i = 1; i <= n; i++) {
        outputs = outputs (i > 1 ? ", " : "") any_of(one_of("int|big|num|text|bool"), 2) " AS o" i
        take = take " || COALESCE(r.o" i "::text, '-') || ','"
    }
    return "    FOR r IN SELECT " outputs " FROM " from (draw(3) ? " WHERE " where(tables) : "") \
        "\n        ORDER BY " (tables ~ /p/ ? "id, " : "") (tables ~ /c/ ? "k1, k2, " : "") \
        (tables ~ /e/ ? "e_id, " : "") "1" offset() "\n    LOOP\n" \
        "        result := result" take " || ';';\n    END LOOP;\n"
}
# A subquery of a type, over one table of other names; of what is in reach it may use columns.
function inner_of(type,    kind, saved, text) {
    for (kind in columns) saved[kind] = columns[kind]
    columns["int"] = columns["int"] (columns["int"] == "" ? "" : "|") "pi.a|pi.a"
    columns["big"] = columns["big"] (columns["big"] == "" ? "" : "|") "pi.id|pi.w"
    columns["text"] = columns["text"] (columns["text"] == "" ? "" : "|") "pi.s"
    columns["bool"] = columns["bool"] (columns["bool"] == "" ? "" : "|") "pi.f"
    text = bool_of(2)
    if (draw(3)) text = one_of("pi.id = x|pi.w = y|pi.a > 3|pi.id < 6|pi.f|pi.s = t") " AND " text
    if (draw(3) == 0 && saved["big"] != "") text = "pi.id = " one_of(saved["big"]) " AND " text
    if (draw(4) == 0 && saved["int"] != "") text = "pi.a = " one_of(saved["int"]) " AND " text
    for (kind in saved) columns[kind] = saved[kind]
    if (type == "bool") return one_of("EXISTS|NOT EXISTS") " (SELECT 1 FROM p AS pi WHERE " text ")"
    if (type == "in") return "(" any_of("int", 1) one_of(" IN | NOT IN ") "(SELECT " \
        one_of("pi.a|pi.w|pi.a + y") " FROM p AS pi WHERE " text "))"
    if (type == "one") return "(SELECT pi.a FROM p AS pi WHERE " text " ORDER BY pi.id LIMIT 1" \
        one_of("|| OFFSET 1") ")"
    if (type == "any") return "(SELECT pi.a FROM p AS pi WHERE " text ")"
    return "(SELECT " one_of("count(*)|sum(pi.a)|max(pi.w)|min(pi.a) + count(*)|max(pi.a)") \
        " FROM p AS pi WHERE " text one_of("||| HAVING count(*) > 1") ")"
}
function sub_bool() { return inner_of(one_of("bool|in")) }
function sub_int() { return inner_of(one_of("one|agg|agg|any")) }
function select_with_subqueries(    tables, take) {
    tables = one_of("p|c|e|pc|-")
    if (tables == "-") tables = ""
    reach(tables)
    take = " || COALESCE(r.o1::text, '-') || ',' || COALESCE(r.o2::text, '-')"
    if (tables == "")
        return "    i := " sub_int() ";\n    IF " sub_bool() " AND " bool_of(1) " THEN\n" \
            "        result := result || COALESCE(i::text, '-');\n    END IF;\n" \
            "    SELECT " sub_int() ", " text_of(1) " INTO i, u WHERE " sub_bool() ";\n" \
            "    result := result || COALESCE(i::text, '-') || COALESCE(u, '-') || FOUND::text;\n"
    return "    FOR r IN SELECT " (draw(2) ? sub_int() : int_of(1)) " AS o1, " \
        (draw(3) ? any_of(one_of("int|text"), 1) : sub_bool()) " AS o2 FROM " from_of(tables) \
        " WHERE " (draw(4) ? sub_bool() : where(tables) " OR " sub_bool()) \
        (draw(2) ? " AND " where(tables) : "") "\n        ORDER BY " key_of(tables) offset() \
        "\n    LOOP\n        result := result" take " || ';';\n    END LOOP;\n"
}
function grouped_with_subqueries() {
    reach("c")
    return "    FOR r IN SELECT p_id AS g, count(*) AS n, (SELECT max(pi.a) FROM p AS pi WHERE pi.id = p_id AND " \
        one_of("true|pi.f|pi.w > y") ") AS o FROM c WHERE " where("c") \
        "\n        GROUP BY p_id HAVING " one_of("count(*) > 0|EXISTS (SELECT 1 FROM e WHERE e_id = p_id)|" \
        "sum(v) > (SELECT min(pi.a) FROM p AS pi)|count(*) IN (SELECT e_id FROM e)") " ORDER BY p_id\n    LOOP\n" \
        "        result := result || COALESCE(r.g::text, '-') || r.n || COALESCE(r.o::text, '-') || ';';\n" \
        "    END LOOP;\n"
}
function write_with_subqueries(    kind) {
    reach("p")
    kind = draw(5)
    if (kind == 0) return "    UPDATE p SET w = w % 40 + 1 WHERE " sub_bool() " AND " where("p") ";\n" seen("p")
    if (kind == 1) return "    UPDATE p SET w = COALESCE((SELECT " \
        one_of("min(pj.w)|max(pj.id)|count(*)") " FROM p AS pj WHERE " one_of("pj.a > p.a|pj.id = p.id + 1|pj.s = p.s|pj.f") \
        ") % 60, 5) WHERE " where("p") ";\n" seen("p")
    if (kind == 2) return "    DELETE FROM c WHERE p_id " one_of("IN|NOT IN") \
        " (SELECT id FROM p WHERE " where("p") ") AND v > y;\n" seen("c")
    if (kind == 3) return "    DELETE FROM c WHERE " one_of("EXISTS|NOT EXISTS") \
        " (SELECT 1 FROM p WHERE id = p_id AND w > x) AND k1 < 3;\n" seen("c")
    return "    INSERT INTO p (id, a, w) VALUES ((SELECT max(id) + 1 FROM p), " \
        one_of("(SELECT min(a) - 1 FROM p WHERE f)|NULL|(SELECT a FROM p WHERE id > 3)") ", " \
        "(SELECT count(*) FROM c WHERE v > y));\n" seen("p")
}
function arm(    tables) {
    tables = one_of("p|c|e")
    reach(tables)
    return "SELECT " one_of("NULL|3|y|" column("int", "1")) ", " text_of(1) " FROM " tables " WHERE " \
        (draw(4) ? where(tables) : sub_bool())
}
function select_union(    n, text) {
    for (n = 1 + draw(2); n > 0; n--)
        text = text arm() one_of("\n        UNION | UNION ALL\n        ")
    return "    FOR r IN SELECT x % 7 AS a, t AS b WHERE b UNION " text arm() \
        "\n        ORDER BY " one_of("a, b|b DESC, a|1 NULLS FIRST, 2") (draw(3) ? "" : " LIMIT " draw(5)) offset() \
        "\n    LOOP\n        result := result || COALESCE(r.a::text, '-') || COALESCE(r.b, '-') || ';';\n    END LOOP;\n"
}

# --- Statements: each gives text for the function's answer in `result` -------------

function select_all(    tables, i, n, outputs, take, types) {
    tables = one_of("p|p|c|c|e|pc|pc|pe|pce")
    reach(tables)
    n = 1 + draw(3)
    for (i = 1; i <= n; i++) {
        outputs = outputs (i > 1 ? ", " : "") \
            any_of(one_of("int|big|num|text|bool|time|list"), 2) " AS o" i
        take = take " || COALESCE(r.o" i "::text, '-') || ','"
    }
    return "    FOR r IN SELECT " outputs " FROM " from_of(tables) " WHERE " where(tables) \
        "\n        ORDER BY " (draw(3) ? "" : varying("int") one_of(" DESC, | NULLS FIRST, |, ")) \
        key_of(tables) (draw(3) ? "" : " LIMIT " draw(4)) offset() one_of("||| FOR UPDATE") "\n    LOOP\n" \
        "        result := result" take ";\n" \
        (draw(6) ? "" : "        " one_of("EXIT|CONTINUE") " WHEN " loop_condition() ";\n") \
        "        result := result || ';';\n    END LOOP;\n    result := result || FOUND::text;\n"
}
function offset() {
    return draw(5) ? "" : " OFFSET " one_of("1|2|0|NULL|y")
}
# Of numerics that are equal but have other scales, nobody says which one stays.
function select_distinct(    tables, i, n, outputs, take, order) {
    tables = one_of("p|c|e|pc|pe")
    reach(tables)
    n = 1 + draw(2)
    for (i = 1; i <= n; i++) {
        outputs = outputs (i > 1 ? ", " : "") varying(one_of("int|text")) " AS o" i
        take = take " || COALESCE(r.o" i "::text, '-') || ','"
        order = order (i > 1 ? ", " : "") one_of("o|") i one_of("|| DESC")
    }
    return "    FOR r IN SELECT DISTINCT " outputs " FROM " from_of(tables) " WHERE " where(tables) \
        "\n        ORDER BY " order (draw(3) ? "" : " LIMIT " draw(4)) offset() "\n    LOOP\n" \
        "        result := result" take " || ';';\n    END LOOP;\n"
}
# No constant, which would mean something else to ORDER BY and GROUP BY.
function varying(type) {
    if (columns[type] == "") type = "int"
    return "(" one_of(columns[type]) (type == "int" ? " + " : " || ") any_of(type, 1) ")"
}
function loop_condition() { reach(""); return bool_of(1) }

function aggregate(    type, distinct) {
    type = one_of("int|big|num")
    distinct = draw(5) ? "" : "DISTINCT "
    if (draw(5) == 0) return "count(*)"
    if (draw(5) == 0) return "count(" distinct any_of(one_of("int|text|bool|time|list"), 1) ")"
    if (draw(5) == 0) return one_of("min|max") "(" any_of(one_of("text|time"), 1) ")"
    return one_of("sum|sum|min|max|avg") "(" distinct any_of(type, 1) ")"
}
function select_aggregates(    tables, i, outputs, take, group) {
    tables = one_of("p|p|c|e|pc")
    reach(tables)
    for (i = 1; i <= 3; i++) {
        outputs = outputs (i > 1 ? ", " : "") aggregate() " AS o" i
        take = take " || COALESCE(r.o" i "::text, '-') || ','"
    }
    group = draw(2) ? "" : varying(one_of("int|text"))
    return "    FOR r IN SELECT " outputs (group == "" ? "" : ", " group " AS g") \
        " FROM " from_of(tables) " WHERE " where(tables) \
        (group == "" ? "" : "\n        GROUP BY " group) (draw(3) ? "" : " HAVING " having()) \
        (group == "" ? "" : " ORDER BY " group) offset() "\n    LOOP\n" \
        "        result := result" take (group == "" ? "" : " || COALESCE(r.g::text, '-')") \
        " || ';';\n    END LOOP;\n"
}
function having() {
    if (draw(5) == 0) return "sum(" int_of(0) ") > y"
    if (draw(5) == 0) return "min(" int_of(1) ") IS NOT NULL"
    if (draw(5) == 0) return "count(DISTINCT " any_of(one_of("int|text"), 1) ") > 1"
    return one_of("count(*) > 1|count(*) < 3|max(x) > 2|false|x > 2 AND count(*) <> 2")
}
function select_into(    tables) {
    tables = one_of("p|c|e|pc")
    reach(tables)
    return "    SELECT " int_of(2) ", " text_of(2) " INTO " (draw(4) ? "" : "STRICT ") \
        "i, u FROM " from_of(tables) " WHERE " where(tables) \
        "\n        ORDER BY " key_of(tables) ";\n" \
        "    result := result || COALESCE(i::text, '-') || COALESCE(u, '-') || FOUND::text;\n"
}

# Of several rows none, and of one row not two values may be wrong in themselves: which is found
# first is nobody's promise.
function insert_p(    values, i, rows, fits) {
    reach("")
    rows = 1 + (draw(3) == 0)
    fits = rows > 1 || draw(2)
    for (i = 1; i <= rows; i++)
        values = values (i > 1 ? ",\n           " : "") "(" one_of("x|y|x + 1|x % 30|NULL") ", " \
            one_of("y|3|x % 9|NULL") ", " \
            (fits ? "substr(" text_of(1) ", 1, 8)" : text_of(1)) ", " \
            one_of(rows > 1 ? "1.005|x % 1000|NULL" : fits ? "n|1.005|12345678.9" : "n|1.005") \
            ", " bool_of(1) ", " one_of("DEFAULT|x|7") ")"
    return "    INSERT INTO p (id, a, s, m, f, w) VALUES " values conflict_p(rows) ";\n" seen("p")
}
# PostgreSQL may compute what depends on no row when it plans, and so fail where no row is found:
# what is put into a row that may be there has to fit.
function conflict_p(rows) {
    if (draw(2)) return ""
    if (draw(3) == 0) return "\n        ON CONFLICT " one_of("|(id) |(a) ") "DO NOTHING"
    columns["int"] = "p.a|excluded.a"
    columns["big"] = "p.w|excluded.w"
    columns["num"] = "p.m"
    columns["text"] = "p.s|excluded.s"
    columns["bool"] = "excluded.f"
    return "\n        ON CONFLICT " one_of("(id)|(id)|(a)") " DO UPDATE SET s = " \
        "substr(" text_of(1) ", 1, 8), w = " big_of(1) \
        (draw(3) ? "" : ", a = excluded.a + 1") (draw(3) ? "" : " WHERE " bool_of(1))
}
function insert_other(    text) {
    reach("")
    if (draw(2))
        text = "    INSERT INTO c (k1, k2, p_id, v) VALUES (" big_of(1) ", " text_of(1) ", " \
            one_of("x|y|NULL|3") ", " int_of(1) ")" one_of("|| ON CONFLICT DO NOTHING|" \
            " ON CONFLICT (k1, k2) DO UPDATE SET v = excluded.v + c.v| ON CONFLICT (p_id, v) DO" \
            " UPDATE SET p_id = y")
    else
        text = "    INSERT INTO e VALUES (" big_of(0) ", " one_of("x|y|NULL|1") ", " \
            num_of(1) ", " int_of(1) ", " time_of(1) ", " list_of(1) ")"
    return text ";\n" seen("")
}
function update_one(    table, set) {
    table = one_of("p|c|e")
    reach(table)
    set = draw(3)
    if (table == "p")
        return "    UPDATE p SET " (set == 0 ? "id = " big_of(1) : set == 1 ? "a = " int_of(1) : \
            "a = y, w = id") " WHERE id = " one_of("x|y|x % 20") \
            "\n        RETURNING id, s INTO i, u;\n" seen("p")
    if (table == "c")
        return "    UPDATE c SET " \
            (set == 0 ? "k1 = " big_of(1) : set == 1 ? "p_id = " big_of(1) : \
            "k2 = t, v = " int_of(1)) " WHERE k1 = x AND k2 = " one_of("t|'k' CAT y|'k1'") ";\n" \
            seen("")
    return "    UPDATE e SET " one_of("e_id = x|boss = x|boss = y|boss = NULL|" \
        "since = d, list = l|list = list CAT x") " WHERE e_id = " \
        one_of("x|y") ";\n" seen("")
}
function update_many(    table, set) {
    table = one_of("p|p|c|e")
    reach(table)
    set = draw(5)
    if (table == "p")
        return "    UPDATE p SET " (set == 0 ? "m = " num_of(2) " % 99999" : set == 1 ? \
            "s = substr(" text_of(2) ", 1, 8)" : set == 2 ? "f = " bool_of(2) : \
            one_of("w = w + 1, f = NOT f|m = m * 1.1, w = a % 50")) " WHERE " where("p") ";\n" seen("")
    if (table == "e")
        return "    UPDATE e SET z = " int_of(1) " % 1000, pay = " num_of(1) " WHERE " \
            where("e") ";\n" seen("")
    return "    UPDATE c SET p_id = NULL WHERE " where("c") ";\n" seen("")
}
function remove_some(    table) {
    table = one_of("p|c|e")
    return "    DELETE FROM " table " WHERE " where(table) " AND " \
        one_of(table == "p" ? "id = x|id = y|id % 5 = 0" : table == "c" ? "k1 = x|v < 3" : \
        "e_id = x|z < 2") ";\n" seen("")
}
function seen(table) {
    return "    result := result || FOUND::text" \
        (table == "p" ? " || COALESCE(i::text, '-') || COALESCE(u, '-')" : "") ";\n"
}

# Of rows that come in any order, only what does not depend on it.
function returning_many(    table) {
    table = one_of("p|e")
    reach(table)
    return "    FOR r IN " \
        (draw(2) ? "UPDATE " table " SET " (table == "p" ? "w = w - 1" : "z = 4") : \
        "DELETE FROM " table) " WHERE " where(table) " AND " key_of(table) " % 3 = 0 RETURNING " \
        int_of(2) " AS o1, *\n    LOOP\n        i := COALESCE(i, 0) + COALESCE(r.o1, 100) + r." \
        key_of(table) ";\n    END LOOP;\n" seen("p")
}

# A table without a primary key, with rows that nothing tells apart.
function keyless(    text) {
    text = keyless_statement()
    reach("")
    return text
}
function keyless_statement(    kind) {
    columns["int"] = "dv|dv|(x % 5)::int"
    columns["big"] = "ref|x"
    columns["num"] = columns["time"] = columns["list"] = ""
    columns["text"] = "ds"
    columns["bool"] = "(dv > 2)|(ds = t)|(ref IS NULL)"
    kind = draw(7)
    if (kind == 0) reach("")
    if (kind == 0) return "    INSERT INTO dup VALUES (" int_of(1) ", substr(" text_of(0) ", 1, 4), " \
        one_of("x|y|NULL|3") ")" one_of("|, (y % 4, 'd', NULL), (y % 4, 'd', NULL)|| ON CONFLICT DO NOTHING") \
        ";\n" seen("")
    if (kind == 1) return "    INSERT INTO dup (dq, dv) VALUES (" one_of("x|y|y % 9|NULL") ", x % 3)" \
        one_of("| ON CONFLICT (dq) DO UPDATE SET dv = dup.dv + excluded.dv| ON CONFLICT (dq) DO NOTHING") \
        " RETURNING dv INTO i;\n" seen("p")
    if (kind == 2) return "    UPDATE dup SET dv = " one_of("dv % 7 + 1|y % 9|dv") ", ds = " \
        one_of("'e'|ds|substr(t, 1, 4)") " WHERE " bool_of(2) ";\n" seen("")
    if (kind == 3) return "    DELETE FROM dup WHERE " bool_of(2) " AND " one_of("dv = x % 5|ref = x|ds > t|dq < y") \
        ";\n" seen("")
    if (kind == 4) return "    FOR r IN SELECT " one_of("*|dup.*|ref, dv, ds, dq") " FROM dup WHERE " bool_of(2) \
        "\n        ORDER BY dv, ds, ref, dq" offset() "\n    LOOP\n        result := result || COALESCE(r.dv::text, '-')" \
        " || COALESCE(r.ds, '-') || COALESCE(r.ref::text, '-') || ';';\n    END LOOP;\n"
    if (kind == 5) return "    FOR r IN SELECT id, count(*) AS n, sum(dv) AS s FROM p " one_of("|LEFT ") \
        "JOIN dup ON ref = id WHERE " one_of("w > y|true|id < x") "\n        GROUP BY id ORDER BY id\n    LOOP\n" \
        "        result := result || r.id || ':' || r.n || COALESCE(r.s::text, '-') || ';';\n    END LOOP;\n"
    return "    SELECT count(*), min(ds) INTO i, u FROM dup WHERE " bool_of(2) ";\n" seen("p")
}

# Numbers of sequences. What else a row has cannot fail: only then it is known who is asked first.
function numbers(    kind) {
    kind = draw(8)
    reach("")
    if (kind == 0) return "    INSERT INTO num " one_of("(nv) VALUES (y)|VALUES (DEFAULT, y)|DEFAULT VALUES|" \
        "(nv, id) VALUES (3, nextval('num_id_seq'))|(nv) VALUES (1), (y)|VALUES (DEFAULT, 1), (DEFAULT, y)") \
        ";\n    SELECT count(*) + max(id) INTO i FROM num;\n" seen("p")
    if (kind == 1) return "    INSERT INTO num (nv) VALUES (y) RETURNING id, nv INTO i, u;\n" seen("p")
    if (kind == 2) return "    i := nextval('round') * 100 + currval('round');\n" seen("p")
    if (kind == 3) return "    SELECT nextval('few'), lastval() INTO i, u;\n" seen("p")
    if (kind == 4) return "    i := setval('round', " int_of(1) one_of("|, true|, false|, b") ");\n" seen("p")
    if (kind == 5) return "    i := CASE WHEN " bool_of(1) " THEN nextval('round'::regclass) ELSE lastval() END;\n" \
        seen("p")
    if (kind == 6) return "    PERFORM setval('few', " one_of("x|y|9|-3") ", false);\n    i := nextval('few');\n" seen("p")
    return "    UPDATE num SET nv = " int_of(0) " WHERE id % 5 = y % 5;\n    i := currval('round');\n" seen("p")
}

# Explicit cursors. What is beneath one changes while it is open. None stays open: all calls are one transaction.
function cursor_declarations() {
    reach("p")
    return "    c1 CURSOR FOR SELECT id, s FROM p\n        WHERE " where("p") " ORDER BY id" one_of("| DESC| LIMIT 3") ";\n" \
        "    c2 " one_of("|NO SCROLL ") "CURSOR (k bigint, u2 text) " one_of("FOR|IS") " SELECT * FROM c WHERE " \
        one_of("k1 = k|k1 > k AND k2 <> u2|p_id = k OR k2 = u2") " ORDER BY k1, k2;\n    c3 refcursor;\n"
}
function cursor_opened(cursor) {
    reach("")
    if (cursor == "c1") return "OPEN c1"
    if (cursor == "c2") return "OPEN c2(" big_of(0) ", " text_of(1) ")"
    reach("e")
    return "OPEN c3 FOR SELECT e_id AS id, " one_of("pay::text|list::text|since::text") " AS s FROM e WHERE " \
        where("e") " ORDER BY e_id"
}
function cursor_into(cursor) { return cursor == "c2" ? "q" : one_of("i, u|r") }
function cursors(    cursor, into) {
    cursor = one_of("c1|c2|c3")
    into = cursor_into(cursor)
    if (draw(3) == 0 && cursor != "c3")
        return "    FOR r IN " cursor (cursor == "c2" ? " (x, 'k' || y)" : "") " LOOP\n        result := result || " \
            (cursor == "c2" ? "r.k2" : "COALESCE(r.s, '-')") " || FOUND::text;\n        " one_of("EXIT|CONTINUE") \
            " WHEN " loop_condition() ";\n        UPDATE p SET w = w + 1 WHERE id = x;\n    END LOOP;\n" \
            "    result := result || FOUND::text;\n"
    return "    " cursor_opened(cursor) ";\n" (draw(2) ? "" : "    DELETE FROM c WHERE p_id = x;\n" \
        "    UPDATE p SET s = 'new' WHERE id > y;\n") \
        (draw(3) ? "" : "    FETCH " one_of("|NEXT ") "FROM " cursor " INTO " into ";\n    result := result || FOUND::text;\n") \
        "    LOOP\n        FETCH " cursor " INTO " into ";\n        EXIT WHEN NOT FOUND" one_of("|| OR x = 3") ";\n" \
        "        result := result || " (into == "q" ? "q.k2" : into == "r" ? "r.id || COALESCE(r.s, '-')" : \
        "i || COALESCE(u, '-')") " || ';';\n    END LOOP;\n" \
        (draw(4) || cursor == "c3" ? "    CLOSE " cursor ";\n" : "    IF y = 1 THEN\n        CLOSE " cursor \
        ";\n    END IF;\n    CLOSE " cursor ";\n")
}

# The language itself. What a call returns is never compared with null: PostgreSQL may leave it out.
function calls() {
    reach("")
    return "    IF " bool_of(1) one_of(" AND | OR ") \
        "touch(x, " int_of(1) ") > COALESCE(y, 4) THEN\n" \
        "        i := touch(y, " int_of(0) ") - touch(x, i::int);\n    END IF;\n" \
        "    result := result || COALESCE(touch(x + 1, 5), -1) || COALESCE(i::text, '-');\n" \
        "    u := CASE WHEN touch(2, y) > 5 THEN 'many' ELSE " text_of(2) " END;\n" \
        "    WHILE length(u) < 20 AND i < 9 LOOP\n        i := i + 1 + touch(i, 0);\n" \
        "        u := u || i;\n    END LOOP;\n    result := result || COALESCE(u, '-');\n"
}
function nested() {
    reach("")
    return "    <<outer>>\n    FOR r IN SELECT * FROM " one_of("c|c WHERE k1 = x|c WHERE v > y") \
        " ORDER BY k1, k2 LOOP\n        FOR q IN SELECT id, s FROM p WHERE " \
        one_of("id = r.p_id|id > r.v|a = r.v OR s = r.k2|w = r.k1 AND id < 9") \
        " ORDER BY id DESC LIMIT 3 LOOP\n" \
        "            result := result || q.id || COALESCE(q.s, '-');\n" \
        "            " one_of("EXIT|CONTINUE|EXIT outer|CONTINUE outer") " WHEN " \
        one_of("q.id = y|r.v > x|q.s IS NULL|FOUND") ";\n        END LOOP;\n" \
        "        result := result || FOUND::text || ';';\n    END LOOP;\n" \
        "    result := result || FOUND::text;\n"
}
function loops() {
    reach("")
    return "    FOR k IN " one_of("1..4|REVERSE 4..1|y..8|1..8 BY 3") " LOOP\n" \
        "        i := " int_of(2) ";\n" \
        "        " one_of("CONTINUE|EXIT") " WHEN " bool_of(2) ";\n" \
        "        IF " bool_of(2) " THEN\n            u := " text_of(2) ";\n" \
        "        ELSIF " bool_of(1) " THEN\n            u := " big_of(1) ";\n" \
        "        ELSE\n            PERFORM id FROM p WHERE id = k + x;\n        END IF;\n" \
        "        result := result || COALESCE(u, '-') || COALESCE(i::text, '-') || FOUND::text;\n" \
        "    END LOOP;\n    result := result || FOUND::text;\n"
}

function statement(    kind) {
    kind = draw(43)
    if (kind > 39) return cursors()
    if (kind > 36) return numbers()
    if (kind > 33) return keyless()
    if (kind > 31) return select_outer()
    if (kind > 30) return grouped_with_subqueries()
    if (kind > 28) return write_with_subqueries()
    if (kind > 26) return select_with_subqueries()
    if (kind > 25) return select_union()
    if (kind > 24) return select_outer()
    if (kind < 5) return select_all()
    if (kind < 6) return select_distinct()
    if (kind < 9) return select_aggregates()
    if (kind < 10) return select_into()
    if (kind < 12) return insert_p()
    if (kind < 14) return insert_other()
    if (kind < 16) return update_one()
    if (kind < 17) return update_many()
    if (kind < 18) return remove_some()
    if (kind < 19) return returning_many()
    if (kind < 21) return calls()
    if (kind < 22) return nested()
    return loops()
}

BEGIN {
    state = seed + 1
    print "DROP TABLE IF EXISTS nothing, p CASCADE;\nCREATE TABLE p (id text);\nCREATE TABLE c (id serial);\nDROP TABLE p, c;"
    print "CREATE TABLE p (\n    id bigint PRIMARY KEY,\n    a int UNIQUE,\n    s varchar(8),\n" \
        "    m numeric(8,2) CHECK (m <> 2 * 3.5),\n    f boolean,\n" \
        "    w bigint NOT NULL DEFAULT 7 CHECK (w < 90),\n" \
        "    CHECK (s NOT LIKE 'B%' OR a IS NULL), CONSTRAINT a_or_w CHECK (w <> a + 50)\n);\n"
    print "CREATE TABLE c (\n    k1 bigint,\n    k2 text,\n    p_id bigint REFERENCES p (id),\n" \
        "    v int CONSTRAINT small_v CHECK (v < 50),\n    PRIMARY KEY (k1, k2),\n    UNIQUE (p_id, v)\n);\n"
    print "CREATE TABLE e (\n    e_id bigint PRIMARY KEY,\n    boss bigint REFERENCES e (e_id),\n" \
        "    pay numeric(10,2) NOT NULL,\n    z smallint,\n    since timestamp,\n" \
        "    list bigint[]\n);\n"
    print "CREATE TABLE dup (\n    dv int CHECK (dv < 60),\n    ds varchar(4) DEFAULT 'new',\n" \
        "    ref bigint,\n    dq int UNIQUE\n);\n"
    print "CREATE TABLE num (\n    id serial PRIMARY KEY,\n    nv int CHECK (nv <> 5),\n" \
        "    back smallint GENERATED ALWAYS AS IDENTITY (INCREMENT -2 MAXVALUE 30000 CYCLE)\n);\n"
    print "CREATE SEQUENCE round MINVALUE -5 MAXVALUE 60 START 3 INCREMENT 7 CYCLE;"
    print "CREATE SEQUENCE few AS smallint INCREMENT BY -3 MINVALUE -20 MAXVALUE 10 NO CYCLE;\n"
    print "CREATE FUNCTION load(p_scale bigint) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n" \
        "    FOR i IN 1..12 * p_scale LOOP\n" \
        "        INSERT INTO p (id, a, s, m, f) VALUES (i, i * 3 % 13, 's' || i % 4, i / 3.0," \
        " CASE WHEN i % 3 = 0 THEN i % 2 = 0 END);\n" \
        "        INSERT INTO c (k1, k2, p_id, v) VALUES (i % 4, 'k' || i, 1 + i % 12 / 2, i);\n" \
        "        INSERT INTO e VALUES (i, CASE WHEN i > 2 THEN i / 2 END, i * 1.50, i % 5,\n" \
        "            CASE i % 3 WHEN 0 THEN timestamp '2000-01-04' WHEN 1 THEN timestamp" \
        " '2000-01-02 00:00:03' END,\n" \
        "            CASE WHEN i % 4 > 0 THEN ARRAY[i::bigint, i % 3] END);\n" \
        "        INSERT INTO num (nv) VALUES (i + 5);\n" \
        "        PERFORM nextval('round');\n" \
        "        INSERT INTO dup VALUES (i % 3, 'd', CASE WHEN i % 2 = 0 THEN i / 2 END), (i % 3, 'd', NULL);\n" \
        "    END LOOP;\nEND;\n$$;\n"
    print "CREATE FUNCTION touch(p_id bigint, p_by int) RETURNS bigint LANGUAGE plpgsql AS $$\n" \
        "DECLARE\n    v bigint;\nBEGIN\n    IF p_by > 30 THEN\n" \
        "        RAISE EXCEPTION '% is too much for %', p_by, p_id USING ERRCODE = '22023';\n" \
        "    END IF;\n    UPDATE p SET w = w + p_by WHERE id = p_id AND w + p_by < 50\n" \
        "    RETURNING w INTO v;\n    IF NOT FOUND AND p_by > 3 THEN\n" \
        "        RETURN touch(p_id - 1, p_by - 2);\n    END IF;\n" \
        "    RETURN v;\nEND;\n$$;\n"
    for (number = 1; number <= count; number++) {
        print "CREATE FUNCTION f" number "(x bigint, y int, t text, n numeric, b boolean," \
            " d timestamp, l bigint[]) RETURNS text"
        print "LANGUAGE plpgsql AS $$\nDECLARE\n    r record;\n    q record;\n" \
            "    i bigint;\n    u text;\n    result text := '';\n" cursor_declarations() "BEGIN"
        printf "%s", statement()
        if (draw(3) == 0) printf "%s", statement()
        print "    RETURN result;\nEND;\n$$;\n"
    }
}
