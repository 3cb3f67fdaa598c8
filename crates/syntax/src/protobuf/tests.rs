//! Tests of the facts of protocol buffers.

use crate::Language::Protobuf;
use crate::outline::check;

#[test]
fn messages_enums_and_services_are_symbols() {
    check(
        Protobuf,
        r#"syntax = "proto3";
package shop.v1;
import "shop/v1/order.proto";

// A person who buys.
message User {
  string name = 1; // shown
  repeated Order orders = 2;
  map<string, Role> roles = 3;
  oneof contact {
    string mail = 4;
    Phone phone = 5;
  }
  message Phone {
    string number = 1;
  }
}
enum Role {
  ROLE_UNSPECIFIED = 0;
  ADMIN = 1;
}
service Users {
  // Finds one.
  rpc GetUser(GetUserRequest) returns (User);
  rpc Watch(stream GetUserRequest) returns (stream .shop.v1.User) { option deprecated = true; }
}
"#,
        r#"
        in shop.v1
        struct User pub exported :6 `message User` "A person who buys."
        field User.name pub exported :7 `string name = 1`
        field User.orders pub exported :8 `repeated Order orders = 2`
        field User.roles pub exported :9 `map<string, Role> roles = 3`
        field User.mail pub exported :11 `string mail = 4`
        field User.phone pub exported :12 `Phone phone = 5`
        struct User.Phone pub exported :14 `message Phone`
        field User.Phone.number pub exported :15 `string number = 1`
        enum Role pub exported :18 `enum Role`
        variant Role.ROLE_UNSPECIFIED pub exported :19 `ROLE_UNSPECIFIED = 0`
        variant Role.ADMIN pub exported :20 `ADMIN = 1`
        interface Users pub exported :22 `service Users`
        method Users.GetUser pub exported :24 `rpc GetUser(GetUserRequest) returns (User)` "Finds one."
        method Users.Watch pub exported :25 `rpc Watch(stream GetUserRequest) returns (stream .shop.v1.User)`
        include shop/v1/order.proto
        "#,
    );
}
