//! Who may see and change what, by role and by schema: clients that speak SQL, older and newer programs.

use base::ProblemCode;
use engine::durable::team::TEAM_SCHEMA_VERSION;
use serde_json::json;

use crate::sharing::{Member, Team, basis, create_project, overview};

#[test]
fn a_reader_reads_and_a_stranger_sees_nothing() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "Secret");
    let status = team.origin.data("team.status", json!({}));
    let (readers, writers) =
        (&status["team"]["server"]["readers"], &status["team"]["server"]["writers"]);
    let (readers, writers) = (readers.as_str().unwrap(), writers.as_str().unwrap());
    let name = &team.database.name;
    let (reader, stranger, writer) =
        (format!("reader_{name}"), format!("stranger_{name}"), format!("writer_{name}"));
    let mut admin = team.admin();
    for role in [&reader, &stranger, &writer] {
        admin.batch_execute(&format!("CREATE ROLE {role} LOGIN")).unwrap();
    }
    admin
        .batch_execute(&format!("GRANT {readers} TO {reader}; GRANT {writers} TO {writer}"))
        .unwrap();
    // A reader has a replica, and every write is refused.
    let member = Member::of(&team.origin);
    let joined = member.repo.data("team.join", json!({"address": team.database.url_of(&reader)}));
    assert_eq!(joined["can_write"], false);
    assert!(overview(&member.repo).contains("Secret"));
    let refused = member
        .repo
        .call_op("work.create", json!({"kind": "project", "name": "X", "summary": "s"}))
        .unwrap_err();
    assert_eq!(refused.code, ProblemCode::Untrusted, "{refused}");
    // A stranger cannot join, and sees no row in SQL either.
    let outside = Member::of(&team.origin);
    let refused = outside
        .repo
        .call_op("team.join", json!({"address": team.database.url_of(&stranger)}))
        .unwrap_err();
    assert_eq!(refused.code, ProblemCode::Untrusted, "{refused}");
    let project: String = admin.query_one("SELECT id FROM cairn.projects", &[]).unwrap().get(0);
    let mut hostile = team.sql(&stranger);
    for table in ["projects", "records", "changes"] {
        assert!(hostile.query(&format!("SELECT * FROM cairn.{table}"), &[]).is_err(), "{table}");
    }
    // A member of one project tries to read another project.
    admin.batch_execute(
        "INSERT INTO cairn.projects (id, name, roots, writers, readers) VALUES ('other', 'o', '{}', 'postgres', 'postgres');
         INSERT INTO cairn.records VALUES ('other', 'work', 'task', '[1]', 1, 'secret of others', 1);
         INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records) VALUES ('other', 1, 'x', 'work', 'write', 'a', 's', 's', 1)",
    ).unwrap();
    let mut hostile = team.sql(&writer);
    for table in ["records", "changes"] {
        let own =
            hostile.query(&format!("SELECT DISTINCT project FROM cairn.{table}"), &[]).unwrap();
        let own: Vec<String> = own.iter().map(|row| row.get(0)).collect();
        assert_eq!(own, std::slice::from_ref(&project), "{table}");
    }
    for attack in [
        "UPDATE cairn.records SET body = 'x' WHERE project = 'other'",
        "UPDATE cairn.projects SET seq = 99 WHERE id = 'other'",
    ] {
        assert_eq!(hostile.execute(attack, &[]).unwrap(), 0, "{attack}");
    }
    for attack in [
        "INSERT INTO cairn.records VALUES ('other', 'work', 'task', '[2]', 1, 'x', 1)".to_owned(),
        "INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records) VALUES ('other', 2, 'y', 'work', 'write', 'a', 's', 's', 1)".to_owned(),
        format!("INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, role, summary, records) VALUES ('{project}', 99, 'y', 'work', 'write', 'a', 's', 'postgres', 's', 1)"),
        format!("UPDATE cairn.records SET project = 'other' WHERE project = '{project}'"),
        "UPDATE cairn.projects SET writers = 'public'".to_owned(),
        "DELETE FROM cairn.records".to_owned(),
        "DELETE FROM cairn.changes".to_owned(),
        "UPDATE cairn.changes SET actor = 'somebody else'".to_owned(),
        "ALTER TABLE cairn.records DISABLE ROW LEVEL SECURITY".to_owned(),
        "INSERT INTO cairn.projects (id, name, roots, writers, readers) VALUES ('mine', 'm', '{}', 'public', 'public')".to_owned(),
        "UPDATE cairn.schema_version SET version = 9".to_owned(),
        "SET ROLE postgres".to_owned(),
        "TRUNCATE cairn.records CASCADE".to_owned(),
    ] {
        assert!(hostile.batch_execute(&attack).is_err(), "{attack}");
    }
    // The member defines functions with the names of those that decide about membership. Before
    // PostgreSQL 15 every user may create functions in `public`.
    admin.batch_execute(&format!("GRANT CREATE ON SCHEMA public TO {writer}")).unwrap();
    hostile.batch_execute(FUNCTIONS_OF_THEIR_OWN).unwrap();
    for table in ["projects", "records", "changes"] {
        let column = if table == "projects" { "id" } else { "project" };
        let seen = hostile.query(&format!("SELECT DISTINCT {column} FROM cairn.{table}"), &[]);
        let seen: Vec<String> = seen.unwrap().iter().map(|row| row.get(0)).collect();
        assert_eq!(seen, std::slice::from_ref(&project), "{table}");
    }
    let attack = "UPDATE cairn.records SET body = 'x' WHERE project = 'other'";
    assert_eq!(hostile.execute(attack, &[]).unwrap(), 0);
    // A reader cannot change anything with SQL, not even the number of the last change.
    let mut hostile = team.sql(&reader);
    assert_eq!(hostile.query("SELECT 1 FROM cairn.projects", &[]).unwrap().len(), 1);
    for attack in [
        "UPDATE cairn.records SET body = 'x'",
        "UPDATE cairn.projects SET seq = 99",
        "INSERT INTO cairn.records VALUES ('x', 'work', 'task', '[2]', 1, 'x', 1)",
        "INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records) VALUES ('x', 2, 'y', 'work', 'write', 'a', 's', 's', 1)",
        "SELECT * FROM cairn.projects FOR UPDATE",
        "CREATE TABLE cairn.own (a int)",
    ] {
        assert!(hostile.batch_execute(attack).is_err(), "{attack}");
    }
}

/// These would make every user a member of every project, if the server looked names up in the
/// client's search path.
const FUNCTIONS_OF_THEIR_OWN: &str = "
    CREATE FUNCTION public.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
    CREATE FUNCTION public.to_regrole(text) RETURNS regrole LANGUAGE sql AS 'SELECT 10::oid::regrole';
    CREATE FUNCTION public.quote_ident(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
    SET search_path = public, pg_catalog";

#[test]
fn a_login_that_may_not_make_roles_is_told_what_an_administrator_runs() {
    let Some(team) = Team::start() else { return };
    let mut admin = team.admin();
    admin.batch_execute(&format!("ALTER ROLE {} NOCREATEROLE", team.database.owner)).unwrap();
    let join = || team.origin.call_op("team.join", json!({"address": team.database.url()}));
    let statements = || {
        let refused = join().unwrap_err();
        assert_eq!(refused.code, ProblemCode::Untrusted, "{refused}");
        let hint = refused.hints[0].to_string();
        let (_, rest) = hint.split_once("runs  ").unwrap_or_else(|| panic!("{hint}"));
        rest.split_once("  then repeat").unwrap_or_else(|| panic!("{hint}")).0.to_owned()
    };
    let first = statements();
    assert_eq!(statements(), first, "the roles that were asked for are those that are used");
    admin.batch_execute(&first).unwrap();
    let joined = join();
    assert!(joined.is_ok(), "{}", joined.unwrap_err());
    create_project(&team.origin, "P");
    team.origin.commit("join");
    assert!(overview(&team.member().repo).contains('P'));
}

#[test]
fn a_schema_that_does_not_fit_is_refused_with_the_way_out() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let member = Member::of(&team.origin);
    let set = |version: i32| {
        team.admin().execute("UPDATE cairn.schema_version SET version = $1", &[&version]).unwrap();
    };
    // An older program with a newer schema, also if it connected before the schema changed.
    let connected = team.origin.workspace();
    assert!(testkit::text_of(&connected, "work overview").contains('P'));
    set(99);
    let line = testkit::text_of(&connected, "work create project X --summary s");
    assert!(line.contains("has schema 99"), "{line}");
    let line = testkit::text_of(&connected, "work overview");
    assert!(line.contains("has schema 99") && line.contains('P'), "{line}");
    let refused =
        member.repo.call_op("team.join", json!({"address": team.database.url()})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Unavailable);
    assert!(refused.message.contains("has schema 99"), "{refused}");
    let refused = team
        .origin
        .call_op("work.create", json!({"kind": "project", "name": "X", "summary": "s"}))
        .unwrap_err();
    assert!(refused.hints[0].to_string().contains("update cairn"), "{refused:?}");
    assert!(basis(&team.origin, "work overview").contains("has schema 99"));
    assert!(overview(&team.origin).contains('P'));
    set(TEAM_SCHEMA_VERSION);
    // Records of a program that knows more columns.
    team.admin().execute("UPDATE cairn.projects SET layouts = '{\"work\": 99}'", &[]).unwrap();
    let refused = team
        .origin
        .call_op("work.create", json!({"kind": "project", "name": "X", "summary": "s"}))
        .unwrap_err();
    assert!(refused.message.contains("layout 99"), "{refused}");
    team.admin().execute("UPDATE cairn.projects SET layouts = '{}'", &[]).unwrap();
    create_project(&team.origin, "Q");
}

#[test]
fn an_older_schema_is_brought_up_to_date_by_its_owner_alone() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let writers = team.origin.data("team.status", json!({}))["team"]["server"]["writers"].clone();
    let writer = format!("late_{}", team.database.name);
    let mut admin = team.admin();
    let writers = writers.as_str().unwrap();
    admin
        .batch_execute(&format!("CREATE ROLE {writer} LOGIN; GRANT {writers} TO {writer}"))
        .unwrap();
    let member = Member::of(&team.origin);
    let address = json!({"address": team.database.url_of(&writer)});
    member.repo.data("team.join", address.clone());
    overview(&member.repo);
    // The database as the first version of the program made it.
    let first = "DROP INDEX cairn.changes_by_time; UPDATE cairn.schema_version SET version = 1";
    admin.batch_execute(first).unwrap();
    let project = json!({"kind": "project", "name": "X", "summary": "s"});
    for (operation, args) in [("work.create", &project), ("team.join", &address)] {
        let refused = member.repo.call_op(operation, args.clone()).unwrap_err();
        assert_eq!(refused.code, ProblemCode::Unavailable);
        assert!(refused.message.contains("has schema 1, and this cairn needs"), "{refused}");
        let way_out = refused.hints[0].to_string();
        assert!(way_out.contains(&team.database.owner), "{way_out}");
    }
    assert!(overview(&member.repo).contains('P'), "what is there is read all the same");
    let version = "SELECT version FROM cairn.schema_version";
    assert_eq!(admin.query_one(version, &[]).unwrap().get::<_, i32>(0), 1, "nothing was changed");
    team.join(&team.origin);
    assert_eq!(admin.query_one(version, &[]).unwrap().get::<_, i32>(0), TEAM_SCHEMA_VERSION);
    let index = "SELECT to_regclass('cairn.changes_by_time') IS NOT NULL";
    assert!(admin.query_one(index, &[]).unwrap().get::<_, bool>(0));
    create_project(&member.repo, "Back");
    assert!(overview(&team.origin).contains("Back"));
}
