//! cairn gives a repository a memory.

fn main() -> std::process::ExitCode {
    cairn::cli::run(std::env::args_os())
}
