//! The program under test: the same code as `sinew`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
