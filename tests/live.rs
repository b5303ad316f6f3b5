//! Every answer of the compiler in the recording `live`, held against the library in this process.
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]

use std::process::ExitCode;

use differential::Kind;
use tests::corpus::live;
use tests::corpus::ratchet::Ratchet;

fn main() -> ExitCode {
    live::run("live", env!("CARGO_BIN_EXE_sinew-tested"), |live, ratchet| Ok(compare(live, ratchet)))
}

fn compare(live: &live::Live, ratchet: &Ratchet) -> Vec<String> {
    let mut lost = Vec::new();
    for compared in differential::run::run(&live.recording, &live.types, &Kind::ALL, |_| true) {
        let Some(case) = live.recording.cases.get(compared.case) else { continue };
        let name = format!("{}::{}", compared.kind.name(), case.id);
        ratchet.record(&name, compared.result.is_ok());
        if let (true, Err(difference)) = (ratchet.holds(&name), compared.result) {
            lost.push(format!("{name}: {difference:?}"));
        }
    }
    for (kind, (passed, total)) in ratchet.figures() {
        println!("live {kind}: {passed}/{total}");
    }
    lost
}
