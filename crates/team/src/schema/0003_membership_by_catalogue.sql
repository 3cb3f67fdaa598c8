-- Every name in the function is that of the catalogue: a client that sets its search path to functions of its own
-- would otherwise decide itself whose member it is.
CREATE OR REPLACE FUNCTION cairn.is_member(name text) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT coalesce(pg_catalog.pg_has_role(current_user,
        pg_catalog.to_regrole(pg_catalog.quote_ident(name))::pg_catalog.oid, ''MEMBER''), false)';
