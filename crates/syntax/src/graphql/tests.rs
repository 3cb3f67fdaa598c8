//! Tests of the facts of GraphQL.

use crate::Language;
use crate::Language::GraphQl;
use crate::outline::check;

#[test]
fn a_schema_declares_types_and_fields() {
    check(
        GraphQl,
        r#"# The shop.

"""A person who buys."""
type User implements Node @key(fields: "id") {
  id: ID!
  "Newest first"
  orders(first: Int = 10): [Order!]!
}

interface Node {
  id: ID!
}
enum Role {
  ADMIN
  BUYER
}
union Found = User | Order
input NewUser {
  name: String!
  role: Role
}
scalar Date

extend type Query {
  user(id: ID!): User
}
"#,
        r#"
        module "The shop."
        type User pub exported :4 `type User implements Node @key(fields: "id")` "A person who buys."
        field User.id pub exported :5 `id: ID!`
        field User.orders pub exported :7 `orders(first: Int = 10): [Order!]!` "Newest first"
        interface Node pub exported :10 `interface Node`
        field Node.id pub exported :11 `id: ID!`
        enum Role pub exported :13 `enum Role`
        variant Role.ADMIN pub exported :14 `ADMIN`
        variant Role.BUYER pub exported :15 `BUYER`
        union Found pub exported :17 `union Found`
        struct NewUser pub exported :18 `input NewUser`
        field NewUser.name pub exported :19 `name: String!`
        field NewUser.role pub exported :20 `role: Role`
        type Date pub exported :22 `scalar Date`
        type Query pub exported :24 `extend type Query`
        field Query.user pub exported :25 `user(id: ID!): User`
        "#,
    );
}

#[test]
fn documents_use_the_names_of_the_schema() {
    let text = r#"query GetUser($id: ID!, $input: NewUser) {
  me: user(id: $id) { ...Card, orders { id } }
}
fragment Card on User { name }
"#;
    let facts = crate::extract(Some(Language::GraphQl), text.as_bytes());
    let uses: Vec<String> = facts
        .schema_uses
        .iter()
        .map(|used| {
            let owner = used.owner.map_or("", |owner| &facts.symbols[owner as usize].path);
            format!("{owner}: {} :{}", used.key, used.line)
        })
        .collect();
    assert_eq!(
        uses,
        [
            "GetUser: graphql ID :1",
            "GetUser: graphql NewUser :1",
            "GetUser: graphql Query:user :2",
            "GetUser: graphql Card :2",
            "Card: graphql User :4",
        ]
    );
}
