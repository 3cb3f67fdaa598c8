//! What differs between operating systems, in one place.
//!
//! Every function has a form for Unix and one for Windows, and says what the second one cannot do.
//! `cargo xtask codegen --check` refuses a condition on the operating system anywhere else, except
//! where a whole feature exists on one system only. The README says which systems are tested.

mod file_mark;
mod folders;
mod opening;
mod paths;
mod processes;
mod programs;

pub use file_mark::{
    FileMark, UserAccess, change_fingerprint, device, device_and_inode, foreign_access,
    has_hard_links, has_other_names, is_executable, is_pipe, is_same_folder,
};
pub use folders::{
    RenameMode, make_executable, open_folder_no_follow, rename_in_folders, sync_folder,
};
pub use opening::{set_nonblocking, set_nonblocking_in, set_owner_only};
pub use paths::{canonicalize, path_from_bytes, path_from_uri_bytes, uri_path_bytes};
pub use processes::{has_ended, kill_group, memory_of_group, set_process_group, total_memory};
pub use programs::{GIT, NULL_DEVICE, PROJECT_FOLDERS, SETTINGS_VARIABLE, file_names, program_in};
