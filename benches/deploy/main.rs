//! What a server does under load: deployments per second, how long a GET takes with many deployments stored while more are
//! made, and whether its memory stays flat. On SQLite, and on PostgreSQL when it is installed.
//!
//! `cargo bench -p benches --bench deploy -- [PROGRAM] [--stored N] [--seconds N]` starts PROGRAM (the release build) as
//! `sinew serve` and talks HTTP to it.
#![expect(clippy::disallowed_methods, reason = "a measurement runs programs and looks at the clock")]
#![expect(clippy::disallowed_macros, reason = "a measurement prints its result")]

mod postgres;
mod server;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::postgres::Postgres;
use crate::server::Server;

/// What most measurements can fail with: the server or the database is not there.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Requests in flight at once.
const CLIENTS: u64 = 16;
/// Groups that deployments are spread over.
const GROUPS: u64 = 20;
/// Memory may grow by this much between the first and the last quarter.
const FLAT: f64 = 1.10;

struct Arguments {
    program: PathBuf,
    stored: u64,
    load: Duration,
}

fn main() -> ExitCode {
    let arguments = arguments();
    if !arguments.program.exists() {
        println!(
            "deploy: {} is not there; build it with `cargo build --release`",
            arguments.program.display()
        );
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Runtime::new();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(measure_all(&arguments))) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("deploy: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure_all(arguments: &Arguments) -> Outcome<bool> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("state.db").display().to_string();
    let mut flat = measure("SQLite", &file, arguments).await?;
    match Postgres::start()? {
        Some(postgres) => flat &= measure("PostgreSQL", &postgres.url(), arguments).await?,
        None => println!("deploy: PostgreSQL is not installed, only SQLite is measured"),
    }
    Ok(flat)
}

/// Measures one store. Says whether the memory stayed flat.
async fn measure(name: &str, state: &str, arguments: &Arguments) -> Outcome<bool> {
    let server = Arc::new(Server::start(&arguments.program, state).await?);
    for group in 0..GROUPS {
        server
            .put(&format!("{}?api-version=2025-04-01", group_of(group)), r#"{"location":"westeurope"}"#)
            .await?;
    }
    println!("== {name}");
    fill(&server, arguments.stored).await?;
    let (mut reads, writes, memory) = load(&server, arguments).await?;
    reads.sort_unstable();
    let at = |share: f64| {
        let index = (reads.len().saturating_sub(1)) as f64 * share;
        reads.get(index as usize).copied().unwrap_or_default()
    };
    let seconds = arguments.load.as_secs_f64();
    println!(
        "GET with {} stored, under load: {:.0} a second, median {:?}, p99 {:?}; meanwhile {:.0} deployments a second",
        arguments.stored,
        reads.len() as f64 / seconds,
        at(0.5),
        at(0.99),
        writes as f64 / seconds,
    );
    let quarter = (memory.len() / 4).max(1);
    let first = median(memory.get(..quarter).unwrap_or_default());
    let last = median(memory.get(memory.len().saturating_sub(quarter)..).unwrap_or_default());
    let ratio = last / first;
    println!(
        "memory over {seconds:.0} s: {:.1} MB in the first quarter, {:.1} MB in the last, ratio {ratio:.2} (budget {FLAT})",
        first / 1024.0,
        last / 1024.0,
    );
    Ok(ratio <= FLAT)
}

/// Stores deployments, and waits until the last one is done.
async fn fill(server: &Arc<Server>, count: u64) -> Outcome<()> {
    let started = Instant::now();
    let next = Arc::new(AtomicU64::new(0));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (server, next) = (Arc::clone(server), Arc::clone(&next));
        clients.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Outcome::Ok(());
                }
                server.put(&path(number), &body(number)).await?;
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client??;
    }
    while server.figure("sinew_deployments_succeeded").await? < count {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{count} deployments in {seconds:.1} s: {:.0} a second, from PUT to done",
        count as f64 / seconds
    );
    Ok(())
}

/// Half of the clients read, the other half deploy again. Gives the time of every read, the number of deployments, and
/// what memory the server had every half second, in KiB.
async fn load(server: &Arc<Server>, arguments: &Arguments) -> Outcome<(Vec<Duration>, u64, Vec<f64>)> {
    let over = Arc::new(AtomicBool::new(false));
    let stored = arguments.stored;
    let (mut readers, mut writers) = (JoinSet::new(), JoinSet::new());
    for client in 0..CLIENTS / 2 {
        let (reader, ended) = (Arc::clone(server), Arc::clone(&over));
        readers.spawn(async move {
            let mut times = Vec::new();
            let mut number = client;
            while !ended.load(Ordering::Relaxed) {
                // Steps of a large prime visit all of them in no order that a cache could follow.
                number = (number + 7919) % stored;
                let started = Instant::now();
                reader.get(&path(number)).await?;
                times.push(started.elapsed());
            }
            Outcome::Ok(times)
        });
        let (writer, ended) = (Arc::clone(server), Arc::clone(&over));
        writers.spawn(async move {
            let mut done = 0;
            // Each has names of its own: a name whose deployment runs cannot be deployed again.
            let mut number = client;
            while !ended.load(Ordering::Relaxed) {
                number = if number + CLIENTS / 2 < stored { number + CLIENTS / 2 } else { client };
                done += u64::from(writer.try_put(&path(number), &body(number)).await?);
            }
            Outcome::Ok(done)
        });
    }
    let started = Instant::now();
    let mut memory = Vec::new();
    while started.elapsed() < arguments.load {
        memory.push(server.memory()?);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    over.store(true, Ordering::Relaxed);
    let (mut times, mut done) = (Vec::new(), 0);
    while let Some(reader) = readers.join_next().await {
        times.extend(reader??);
    }
    while let Some(writer) = writers.join_next().await {
        done += writer??;
    }
    Ok((times, done, memory))
}

fn group_of(number: u64) -> String {
    format!("/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/group{}", number % GROUPS)
}

fn path(number: u64) -> String {
    let group = group_of(number);
    format!("{group}/providers/Microsoft.Resources/deployments/d{number}?api-version=2025-04-01")
}

/// A deployment of two resources, one after the other, with an output.
fn body(number: u64) -> String {
    format!(
        r#"{{"properties":{{"mode":"Incremental","parameters":{{"name":{{"value":"r{number}"}}}},"template":{{
          "$schema":"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
          "contentVersion":"1.0.0.0","parameters":{{"name":{{"type":"string"}}}},
          "resources":[
            {{"type":"Microsoft.Web/serverfarms","apiVersion":"2023-01-01","name":"[parameters('name')]","location":"westeurope","properties":{{}}}},
            {{"type":"Microsoft.Web/sites","apiVersion":"2023-01-01","name":"[parameters('name')]","location":"westeurope",
              "dependsOn":["[resourceId('Microsoft.Web/serverfarms', parameters('name'))]"],
              "properties":{{"serverFarmId":"[resourceId('Microsoft.Web/serverfarms', parameters('name'))]"}}}}],
          "outputs":{{"id":{{"type":"string","value":"[resourceId('Microsoft.Web/sites', parameters('name'))]"}}}}}}}}}}"#
    )
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn arguments() -> Arguments {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    let mut found =
        Arguments { program: target.join("release/sinew"), stored: 10_000, load: Duration::from_secs(30) };
    let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = given.next() {
        let mut number = || given.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            "--stored" => found.stored = number().unwrap_or(found.stored).max(CLIENTS),
            "--seconds" => found.load = number().map_or(found.load, Duration::from_secs),
            program => found.program = PathBuf::from(program),
        }
    }
    found
}
