-- What 0.2 adds: exact aggregates of integers and numeric.
\echo Use "ALTER EXTENSION exblas UPDATE" to load this file. \quit

-- exact_sum and exact_avg of integers and numeric are the server's own, whose sums are exact.
DO $$
DECLARE
    a record;
BEGIN
    FOR a IN SELECT p.proname AS name, format_type(p.proargtypes[0], NULL) AS argument, g.*
             FROM pg_catalog.pg_aggregate g JOIN pg_catalog.pg_proc p ON p.oid = g.aggfnoid
             WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN ('sum', 'avg') AND
                   p.proargtypes[0] IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype) LOOP
        EXECUTE format('CREATE AGGREGATE exact_%s(%s) (SFUNC = %s, STYPE = %s, SSPACE = %s', a.name, a.argument,
                       a.aggtransfn, a.aggtranstype::regtype, a.aggtransspace)
            || CASE WHEN a.aggfinalfn = 0 THEN '' ELSE format(', FINALFUNC = %s', a.aggfinalfn) END
            || CASE WHEN a.aggserialfn = 0 THEN '' ELSE format(', SERIALFUNC = %s, DESERIALFUNC = %s',
                                                               a.aggserialfn, a.aggdeserialfn) END
            || coalesce(', INITCOND = ' || quote_literal(a.agginitval), '')
            || format(', COMBINEFUNC = %s, MSFUNC = %s, MINVFUNC = %s, MSTYPE = %s, MSSPACE = %s', a.aggcombinefn,
                      a.aggmtransfn, a.aggminvtransfn, a.aggmtranstype::regtype, a.aggmtransspace)
            || CASE WHEN a.aggmfinalfn = 0 THEN '' ELSE format(', MFINALFUNC = %s', a.aggmfinalfn) END
            || coalesce(', MINITCOND = ' || quote_literal(a.aggminitval), '') || ', PARALLEL = SAFE)';
    END LOOP;
END $$;

-- exact_dot of them is numeric, which multiplies and adds exactly.
DO $$
DECLARE
    x text;
    y text;
BEGIN
    FOREACH x IN ARRAY ARRAY['int2', 'int4', 'int8', 'numeric'] LOOP
        FOREACH y IN ARRAY ARRAY['int2', 'int4', 'int8', 'numeric'] LOOP
            EXECUTE format('CREATE FUNCTION exact_add_numeric_product(numeric, %s, %s) RETURNS numeric
                LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $f$
                    SELECT CASE WHEN $2 IS NULL OR $3 IS NULL THEN $1 ELSE
                        coalesce($1, 0) OPERATOR(pg_catalog.+) ($2::numeric OPERATOR(pg_catalog.*) $3::numeric) END $f$',
                x, y);
            EXECUTE format('CREATE AGGREGATE exact_dot(%s, %s) (SFUNC = exact_add_numeric_product, STYPE = numeric,
                COMBINEFUNC = pg_catalog.numeric_add, PARALLEL = SAFE)', x, y);
        END LOOP;
    END LOOP;
END $$;

-- All others take bigint exactly, beside double precision, and refuse numeric, which would be rounded to it.
DO $$
DECLARE
    a record;
BEGIN
    FOR a IN SELECT v.*, array_to_string(types, ', ') AS arguments
             FROM (VALUES ('dot', 'product', 2), ('accumulate', 'sum', 1), ('var_pop', 'squares', 1),
                          ('var_samp', 'squares', 1), ('stddev_pop', 'squares', 1), ('stddev_samp', 'squares', 1),
                          ('covar_pop', 'pairs', 2), ('covar_samp', 'pairs', 2), ('corr', 'pairs', 2),
                          ('regr_avgx', 'pairs', 2), ('regr_avgy', 'pairs', 2), ('regr_sxx', 'pairs', 2),
                          ('regr_syy', 'pairs', 2), ('regr_sxy', 'pairs', 2), ('regr_slope', 'pairs', 2),
                          ('regr_intercept', 'pairs', 2), ('regr_r2', 'pairs', 2)) v(name, kind, n),
                  LATERAL (SELECT ARRAY[x] FROM unnest(ARRAY['int8', 'numeric']) x WHERE n = 1
                           UNION ALL
                           SELECT ARRAY[x, y] FROM unnest(ARRAY['float8', 'int8', 'numeric']) x,
                                                   unnest(ARRAY['float8', 'int8', 'numeric']) y
                           WHERE n = 2 AND (x, y) <> ('float8', 'float8') AND
                                 (name <> 'dot' OR 'float8' IN (x, y))) t(types) LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION exact_add_any_%s(internal, %s) RETURNS internal
            AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', a.kind, a.arguments);
        EXECUTE format('CREATE OR REPLACE FUNCTION exact_remove_any_%s(internal, %s) RETURNS internal
            AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', a.kind, a.arguments);
        EXECUTE format('CREATE AGGREGATE exact_%1$s(%2$s) (
            SFUNC = exact_add_any_%3$s, STYPE = internal, SSPACE = 256, FINALFUNC = exact_%1$s_final,
            COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize,
            MSFUNC = exact_add_any_%3$s, MINVFUNC = exact_remove_any_%3$s, MSTYPE = internal,
            MSSPACE = 256, MFINALFUNC = exact_%1$s_final, PARALLEL = SAFE)', a.name, a.arguments, a.kind);
    END LOOP;
END $$;

-- The order of accumulators: GROUP BY, DISTINCT, ORDER BY, joins and indexes.
CREATE FUNCTION exact_accumulator_lt(exact_accumulator, exact_accumulator) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_le(exact_accumulator, exact_accumulator) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_gt(exact_accumulator, exact_accumulator) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_ge(exact_accumulator, exact_accumulator) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_cmp(exact_accumulator, exact_accumulator) RETURNS int4
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_hash(exact_accumulator) RETURNS int4
    AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_hash(exact_accumulator, int8) RETURNS int8
    AS 'hashvarlenaextended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR < (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator, FUNCTION = exact_accumulator_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator, FUNCTION = exact_accumulator_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator, FUNCTION = exact_accumulator_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator, FUNCTION = exact_accumulator_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR CLASS exact_accumulator_ops DEFAULT FOR TYPE exact_accumulator USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 exact_accumulator_cmp(exact_accumulator, exact_accumulator);
CREATE OPERATOR CLASS exact_accumulator_ops DEFAULT FOR TYPE exact_accumulator USING hash AS
    OPERATOR 1 =, FUNCTION 1 exact_accumulator_hash(exact_accumulator),
    FUNCTION 2 exact_accumulator_hash(exact_accumulator, int8);
ALTER OPERATOR = (exact_accumulator, exact_accumulator) SET (RESTRICT = eqsel, JOIN = eqjoinsel);
ALTER OPERATOR <> (exact_accumulator, exact_accumulator) SET (RESTRICT = neqsel, JOIN = neqjoinsel);
-- ALTER OPERATOR sets these from PostgreSQL 17 on.
UPDATE pg_catalog.pg_operator SET oprcanhash = true, oprcanmerge = true
    WHERE oprname = '=' AND oprleft = 'exact_accumulator'::regtype AND oprright = 'exact_accumulator'::regtype;
