//! The binary `sinew`. Everything is in the library, so that tests run the same program.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
