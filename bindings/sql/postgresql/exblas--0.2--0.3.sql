-- Run by CREATE EXTENSION exblas after 0.2, or by ALTER EXTENSION exblas UPDATE.
\echo Use "CREATE EXTENSION exblas" to load this file. \quit

-- The names that SQL gives to those of samples.
DO $$
DECLARE
    a record;
BEGIN
    FOR a IN SELECT * FROM (VALUES ('stddev', 'stddev_samp'), ('variance', 'var_samp')) v(name, original),
                           (VALUES ('float8', 'squares'), ('int8', 'any_squares'), ('numeric', 'any_squares')) t(type, kind) LOOP
        EXECUTE format('CREATE AGGREGATE exact_%1$s(%2$s) (
            SFUNC = exact_add_%3$s, STYPE = internal, SSPACE = 256, FINALFUNC = exact_%4$s_final,
            COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize,
            MSFUNC = exact_add_%3$s, MINVFUNC = exact_remove_%3$s, MSTYPE = internal,
            MSSPACE = 256, MFINALFUNC = exact_%4$s_final, PARALLEL = SAFE)', a.name, a.type, a.kind, a.original);
    END LOOP;
END $$;
