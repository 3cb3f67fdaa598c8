//! A project in the team's database: one repository, its roles, and the root commits that identify
//! it.

use base::{Problem, ProblemCode};
use postgres::Client;
use postgres::error::SqlState;
use postgres::types::Type;

use crate::failure::{TeamFailure, TeamResult, retry_on_collision};
use crate::ids::ProjectId;
use crate::tables;

/// A project as the server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamProject {
    /// Its id
    pub id: ProjectId,
    /// Its name, for people
    pub name: String,
    /// Root commits of its repository
    pub roots: Vec<String>,
    /// Its roles
    pub roles: ProjectRoles,
    /// The number of its last change
    pub seq: i64,
    /// The role that is logged in
    pub user: String,
    /// Whether that role may write
    pub can_write: bool,
}

/// The roles of a project. The members of one may write, those of the other may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRoles {
    /// May write
    pub writers: String,
    /// May read
    pub readers: String,
}

impl ProjectRoles {
    /// The roles of a project by its id.
    pub fn of(project: &ProjectId) -> Self {
        let short = &project.digits()[..12];
        Self { writers: format!("cairn_{short}_write"), readers: format!("cairn_{short}_read") }
    }
}

/// A project to create.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Its id
    pub id: ProjectId,
    /// Its name
    pub name: String,
    /// Root commits of its repository
    pub roots: Vec<String>,
}

impl TeamProject {
    /// Fails if the repository has no root commit in common with the project. A project that was made before the
    /// first commit knows none yet.
    pub fn require_same_repository(&self, roots: &[String]) -> Result<(), Problem> {
        let is_known = self.roots.is_empty() || roots.iter().any(|root| self.roots.contains(root));
        if is_known {
            return Ok(());
        }
        let here =
            roots.first().map_or("no root commit (a shallow clone has none)", String::as_str);
        let there = self.roots.first().map_or("none", String::as_str);
        Err(Problem::new(
            ProblemCode::Conflict,
            format!("project {} belongs to another repository", self.id),
        )
        .detail("root_here", here)
        .detail("root_there", there)
        .hint("remove `team.project` from cairn.jsonc to make a project for this repository; a shallow clone needs  git fetch --unshallow"))
    }
}

/// The project, if the caller may see it.
pub(crate) fn find(client: &mut Client, id: &ProjectId) -> TeamResult<Option<TeamProject>> {
    let rows = client.query_typed(tables::READ_PROJECT, &[(&id.as_str(), Type::TEXT)])?;
    let Some(row) = rows.first() else { return Ok(None) };
    let roles = ProjectRoles { writers: row.get(3), readers: row.get(4) };
    let member = client.query_typed_one(
        tables::READ_MEMBERSHIP,
        &[(&roles.writers, Type::TEXT), (&roles.readers, Type::TEXT)],
    )?;
    Ok(Some(TeamProject {
        id: id.clone(),
        name: row.get(1),
        roots: row.get(2),
        seq: row.get(5),
        user: member.get(0),
        can_write: member.get(1),
        roles,
    }))
}

/// Creates a project and its roles. The caller becomes a member.
pub(crate) fn create(client: &mut Client, new: &NewProject) -> TeamResult<()> {
    let roles = ProjectRoles::of(&new.id);
    let member = client.query_typed_one(
        tables::READ_MEMBERSHIP,
        &[(&roles.writers, Type::TEXT), (&roles.readers, Type::TEXT)],
    )?;
    let (user, is_made): (String, bool) = (member.get(0), member.get(1));
    if !is_made {
        make_roles(client, &roles, &user)?;
    }
    retry_on_collision(client, &tables::grant_roles(&roles.writers, &roles.readers))?;
    client.execute_typed(
        tables::INSERT_PROJECT,
        &[
            (&new.id.as_str(), Type::TEXT),
            (&new.name, Type::TEXT),
            (&new.roots, Type::TEXT_ARRAY),
            (&roles.writers, Type::TEXT),
            (&roles.readers, Type::TEXT),
        ],
    )?;
    Ok(())
}

fn make_roles(client: &mut Client, roles: &ProjectRoles, user: &str) -> TeamResult<()> {
    let made = client.batch_execute(&tables::create_roles(&roles.writers, &roles.readers));
    let Err(error) = made else { return Ok(()) };
    // Roles belong to the whole server: they may be there from another database of it.
    match error.code() {
        Some(code) if *code == SqlState::DUPLICATE_OBJECT => Ok(()),
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            Err(TeamFailure::Refused(cannot_make_roles(roles, user)))
        }
        _ => Err(error.into()),
    }
}

fn cannot_make_roles(roles: &ProjectRoles, user: &str) -> Problem {
    let ProjectRoles { writers, readers } = roles;
    let user = format!("\"{}\"", user.replace('"', "\"\""));
    Problem::new(ProblemCode::Untrusted, "this login may not create the project's roles").hint(format!(
        "an administrator runs  CREATE ROLE {writers} NOLOGIN; CREATE ROLE {readers} NOLOGIN; GRANT {writers} TO {user};  then repeat the request"
    ))
}
