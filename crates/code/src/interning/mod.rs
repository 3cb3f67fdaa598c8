//! Paths and names as numbers: each is stored once, and rows refer to it by a short number.

mod tables;

pub(crate) use tables::{
    NameId, PathId, find_name_id, find_path_id, name_id, path_by_id, path_column, path_id,
};
