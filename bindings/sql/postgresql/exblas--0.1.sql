-- The exact aggregates and the type exact_accumulator: doc/sql.md.
\echo Use "CREATE EXTENSION exblas" to load this file. \quit

CREATE FUNCTION exact_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION exact_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Per kind of state: what adds a row, and what takes it away when a frame moves on.
DO $$
DECLARE
    kind record;
BEGIN
    FOR kind IN SELECT * FROM (VALUES ('sum', 'float8'), ('product', 'float8, float8'),
                                      ('squares', 'float8'), ('pairs', 'float8, float8')) k(name, arguments) LOOP
        EXECUTE format('CREATE FUNCTION exact_add_%1$s(internal, %2$s) RETURNS internal
            AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', kind.name, kind.arguments);
        EXECUTE format('CREATE FUNCTION exact_remove_%1$s(internal, %2$s) RETURNS internal
            AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', kind.name, kind.arguments);
    END LOOP;
END $$;

-- Those of two arguments are, as in SQL, functions of (y, x).
DO $$
DECLARE
    a record;
BEGIN
    FOR a IN SELECT name, kind, CASE WHEN kind IN ('product', 'pairs') THEN 'float8, float8' ELSE 'float8' END arguments
             FROM (VALUES ('sum', 'sum'), ('avg', 'sum'), ('dot', 'product'),
                          ('var_pop', 'squares'), ('var_samp', 'squares'),
                          ('stddev_pop', 'squares'), ('stddev_samp', 'squares'),
                          ('covar_pop', 'pairs'), ('covar_samp', 'pairs'), ('corr', 'pairs'),
                          ('regr_avgx', 'pairs'), ('regr_avgy', 'pairs'), ('regr_sxx', 'pairs'),
                          ('regr_syy', 'pairs'), ('regr_sxy', 'pairs'), ('regr_slope', 'pairs'),
                          ('regr_intercept', 'pairs'), ('regr_r2', 'pairs')) v(name, kind) LOOP
        EXECUTE format('CREATE FUNCTION exact_%s_final(internal) RETURNS float8
            AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', a.name);
        EXECUTE format('CREATE AGGREGATE exact_%1$s(%2$s) (
            SFUNC = exact_add_%3$s, STYPE = internal, SSPACE = 256, FINALFUNC = exact_%1$s_final,
            COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize,
            DESERIALFUNC = exact_deserialize,
            MSFUNC = exact_add_%3$s, MINVFUNC = exact_remove_%3$s, MSTYPE = internal,
            MSSPACE = 256, MFINALFUNC = exact_%1$s_final, PARALLEL = SAFE)',
            a.name, a.arguments, a.kind);
    END LOOP;
END $$;

-- An exact sum to keep: canonical bytes, in text as hexadecimal digits.
CREATE TYPE exact_accumulator;
CREATE FUNCTION exact_accumulator_in(cstring) RETURNS exact_accumulator
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_out(exact_accumulator) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_recv(internal) RETURNS exact_accumulator
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_send(exact_accumulator) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE exact_accumulator (
    INPUT = exact_accumulator_in, OUTPUT = exact_accumulator_out,
    RECEIVE = exact_accumulator_recv, SEND = exact_accumulator_send,
    INTERNALLENGTH = VARIABLE, STORAGE = extended);

CREATE FUNCTION exact_value(exact_accumulator) RETURNS float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_count(exact_accumulator) RETURNS int8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_plus(exact_accumulator, exact_accumulator) RETURNS exact_accumulator
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_minus(exact_accumulator, exact_accumulator) RETURNS exact_accumulator
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR + (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator,
    FUNCTION = exact_accumulator_plus, COMMUTATOR = +);
CREATE OPERATOR - (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator,
    FUNCTION = exact_accumulator_minus);

-- Equal sums of equally many terms have equal bytes.
CREATE FUNCTION exact_accumulator_eq(exact_accumulator, exact_accumulator) RETURNS boolean
    AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_accumulator_ne(exact_accumulator, exact_accumulator) RETURNS boolean
    AS 'byteane' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR = (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator,
    FUNCTION = exact_accumulator_eq, COMMUTATOR = =, NEGATOR = <>);
CREATE OPERATOR <> (LEFTARG = exact_accumulator, RIGHTARG = exact_accumulator,
    FUNCTION = exact_accumulator_ne, COMMUTATOR = <>, NEGATOR = =);

-- From rows to an accumulator; from accumulators to one, or to its sum or mean.
CREATE FUNCTION exact_accumulate_final(internal) RETURNS exact_accumulator
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION exact_merge_step(internal, exact_accumulator) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION exact_merge_inverse(internal, exact_accumulator) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE exact_accumulate(float8) (
    SFUNC = exact_add_sum, STYPE = internal, SSPACE = 256, FINALFUNC = exact_accumulate_final,
    COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize,
    PARALLEL = SAFE);
DO $$
DECLARE
    a record;
BEGIN
    FOR a IN SELECT * FROM (VALUES ('merge', 'accumulate'), ('sum', 'sum'), ('avg', 'avg')) v(name, final) LOOP
        EXECUTE format('CREATE AGGREGATE exact_%1$s(exact_accumulator) (
            SFUNC = exact_merge_step, STYPE = internal, SSPACE = 256, FINALFUNC = exact_%2$s_final,
            COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize,
            DESERIALFUNC = exact_deserialize,
            MSFUNC = exact_merge_step, MINVFUNC = exact_merge_inverse, MSTYPE = internal,
            MSSPACE = 256, MFINALFUNC = exact_%2$s_final, PARALLEL = SAFE)', a.name, a.final);
    END LOOP;
END $$;
