//! What survives: processes that are killed, disks that are full, workers that take over, on SQLite and on PostgreSQL.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]
#![expect(clippy::disallowed_methods, reason = "tests prepare the disk and start programs")]
#![expect(clippy::disallowed_macros, reason = "workers report on standard output")]

mod audit;
mod contention;
mod disk;
mod kill;
mod outage;
mod postgres;
mod worker;

use libtest_mimic::{Arguments, Trial};

fn main() {
    // The processes that the tests start and kill.
    if let Ok(task) = std::env::var("SINEW_TEST_WORKER") {
        worker::main(&task);
        return;
    }
    let arguments = Arguments::from_args();
    let mut tests: Vec<(&str, fn())> = vec![
        ("killed_at_random_points", kill::killed_at_random_points),
        ("interrupted_without_its_secrets", kill::interrupted_without_its_secrets),
        ("full_disk", disk::full_disk),
        ("room_on_a_full_disk", disk::room_on_a_full_disk),
        ("clock_ahead", outage::clock_ahead),
        ("unusable_state_file", outage::unusable_state_file),
    ];
    if postgres::is_installed() {
        tests.push(("postgres_killed_at_random_points", kill::postgres_killed_at_random_points));
        tests.push(("postgres_taken_over", kill::postgres_taken_over));
        tests.push(("postgres_frozen_peer", outage::frozen_peer));
        tests.push(("postgres_same_resources", contention::same_resources));
        tests.push(("postgres_restarted", outage::database_restarted));
        tests.push(("postgres_tls", outage::tls));
        tests.push(("postgres_takeover_time", outage::takeover_time));
    } else {
        println!("PostgreSQL is not installed (Debian package `postgresql`): its tests are not run");
    }
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
