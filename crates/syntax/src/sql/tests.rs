//! Tests of the facts of SQL.

use crate::Language::Sql;
use crate::outline::check;
use crate::sql::used_names;

#[test]
fn tables_views_and_routines_are_symbols() {
    check(
        Sql,
        r#"-- The people who buy.
CREATE TABLE IF NOT EXISTS shop."Users" (
    id BIGSERIAL PRIMARY KEY,
    email VARCHAR(200) NOT NULL UNIQUE, -- shown
    price NUMERIC(10, 2),
    CONSTRAINT fk FOREIGN KEY (id) REFERENCES orders (id)
);
CREATE OR REPLACE VIEW active AS SELECT * FROM users WHERE id > 0;

CREATE FUNCTION total(who BIGINT) RETURNS NUMERIC AS $$
BEGIN
    RETURN (SELECT sum(price) FROM orders; );
END;
$$ LANGUAGE plpgsql;

-- name: GetUser :one
SELECT id, email FROM users WHERE id = $1;
"#,
        r#"
        struct Users pub exported :2 `CREATE TABLE IF NOT EXISTS shop."Users"` "The people who buy."
        field Users.id pub :3 `id BIGSERIAL PRIMARY KEY`
        field Users.email pub :4 `email VARCHAR(200) NOT NULL UNIQUE`
        field Users.price pub :5 `price NUMERIC(10, 2)`
        type active pub exported :8 `CREATE OR REPLACE VIEW active`
        function total pub exported :10 `CREATE FUNCTION total(who BIGINT) RETURNS NUMERIC`
        function GetUser pub exported :16 `SELECT id, email FROM users WHERE id = $1` "name: GetUser :one"
        "#,
    );
}

#[test]
fn other_dialects_are_read() {
    check(
        Sql,
        r#"DELIMITER $$
CREATE DEFINER=`root`@`localhost` PROCEDURE `close_order`(IN who INT)
BEGIN
    IF who > 0 THEN UPDATE orders SET open = 0; END IF;
END$$
DELIMITER ;
CREATE TABLE [dbo].[Log Lines] (
    [Id] INT IDENTITY(1,1),
    Text NVARCHAR(MAX)
)
GO
CREATE TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END;
CREATE TABLE `last` (
    `a` int
)
"#,
        r#"
        function close_order pub exported :2 `CREATE DEFINER=`root`@`localhost` PROCEDURE `close_order`(IN who INT)`
        struct Log Lines pub exported :7 `CREATE TABLE [dbo].[Log Lines]`
        field Log Lines.Id pub :8 `[Id] INT IDENTITY(1,1)`
        field Log Lines.Text pub :9 `Text NVARCHAR(MAX)`
        event t pub exported :12 `CREATE TRIGGER t AFTER INSERT ON orders`
        struct last pub exported :13 `CREATE TABLE `last``
        field last.a pub :14 ``a` int`
        "#,
    );
}

#[test]
fn statements_name_tables_and_routines() {
    let names = |text: &str| {
        used_names(text).into_iter().map(|name| name.text).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names("select a.x FROM users AS a, public.orders b JOIN \"Lines\" l ON l.id = b.id"),
        "users orders Lines"
    );
    assert_eq!(names("insert into logs (a) values (?)"), "logs");
    assert_eq!(names("update users SET a = 1 WHERE b IN (SELECT c FROM d FOR UPDATE)"), "users d");
    assert_eq!(
        names("WITH recent AS (SELECT * FROM events) SELECT total(1) FROM recent"),
        "events total"
    );
    assert_eq!(
        names("alter TABLE ONLY users ADD FOREIGN KEY (x) REFERENCES t (y) ON UPDATE CASCADE"),
        "users t"
    );
    assert_eq!(names("create UNIQUE INDEX i ON users (lower(email))"), "users");
    assert_eq!(names("drop TABLE IF EXISTS users; CALL close_order(1)"), "users close_order");
}
