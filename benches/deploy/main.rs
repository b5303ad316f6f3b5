//! What servers do under load: deployments per second and the processor time of each, how long a GET and a list take with many
//! deployments stored while more are made, deployments of 500 resources, and whether memory stays flat. On SQLite, and on
//! PostgreSQL when it is installed.
//!
//! `cargo bench -p benches --bench deploy -- [PROGRAM] [--stored N,…] [--seconds N] [--servers N,…] [--only sqlite|postgres]`
//! starts PROGRAM (the release build) as `sinew serve` and talks HTTP to it. With several servers, which need PostgreSQL,
//! clients take turns with them. Every combination is a column of the Markdown table that is printed at the end.
#![expect(clippy::disallowed_methods, reason = "a measurement runs programs and looks at the clock")]
#![expect(clippy::disallowed_macros, reason = "a measurement prints its result")]

mod postgres;
mod processor;
mod server;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::postgres::Postgres;
use crate::server::Server;
use crate::table::{Column, average_load};

/// What most measurements can fail with: the server or the database is not there.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Requests in flight at once.
const CLIENTS: u64 = 16;
/// Deployments in a group: a server forgets the oldest of a group before there are 800.
const IN_GROUP: u64 = 500;
/// How many groups there are at least.
const GROUPS: u64 = 20;
/// Resources of a large deployment, and how many of those are made.
const LARGE: usize = 500;
const LARGE_COUNT: u64 = 10;
/// How often a list is asked for.
const LISTS: u64 = 100;
/// Memory may grow by this much between the first and the last quarter.
const FLAT: f64 = 1.10;

struct Arguments {
    program: PathBuf,
    stored: Vec<u64>,
    load: Duration,
    servers: Vec<u64>,
    only: Option<String>,
}

impl Arguments {
    /// What is measured, one after the other.
    fn setups(&self) -> Vec<Setup> {
        let wants = |store: &str| self.only.as_deref().is_none_or(|only| only == store);
        let mut setups = Vec::new();
        for is_postgres in [false, true] {
            let store = if is_postgres { "postgres" } else { "sqlite" };
            // SQLite belongs to one server.
            let servers = self.servers.iter().filter(|servers| is_postgres || **servers == 1);
            for servers in servers.filter(|_| wants(store)) {
                let setup = |stored: &u64| Setup { is_postgres, servers: *servers, stored: *stored };
                setups.extend(self.stored.iter().map(setup));
            }
        }
        setups
    }
}

/// One column of the table.
struct Setup {
    is_postgres: bool,
    servers: u64,
    stored: u64,
}

impl Setup {
    fn title(&self) -> String {
        let store = if self.is_postgres { "PostgreSQL" } else { "SQLite" };
        match self.servers {
            1 => format!("{store}, {} stored", self.stored),
            servers => format!("{store}, {} stored, {servers} servers", self.stored),
        }
    }

    fn groups(&self) -> u64 {
        self.stored.div_ceil(IN_GROUP).max(GROUPS)
    }
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
    let mut flat = true;
    let mut columns = Vec::new();
    for setup in arguments.setups() {
        let mut column = Column::new(setup.title());
        let folder = tempfile::tempdir()?;
        let postgres = if setup.is_postgres { Postgres::start()? } else { None };
        let state = match &postgres {
            Some(postgres) => postgres.url(),
            None if setup.is_postgres => {
                println!("PostgreSQL is not installed");
                continue;
            }
            None => folder.path().join("state.db").display().to_string(),
        };
        column.add("load average before", format!("{:.1}", average_load()?));
        flat &= measure(&state, postgres.as_ref(), arguments, &setup, &mut column).await?;
        column.add("load average after", format!("{:.1}", average_load()?));
        columns.push(column);
    }
    println!("\n{}", table::markdown(&columns));
    Ok(flat)
}

/// The servers of one measurement, and the database that they share.
struct Servers<'p> {
    list: Vec<Server>,
    postgres: Option<&'p Postgres>,
    groups: u64,
}

impl Servers<'_> {
    /// The server of a client.
    #[expect(clippy::indexing_slicing, reason = "there is at least one server")]
    fn of(&self, client: u64) -> &Server {
        let at = usize::try_from(client).unwrap_or_default() % self.list.len().max(1);
        &self.list[at]
    }

    async fn succeeded(&self) -> Outcome<u64> {
        let mut sum = 0;
        for server in &self.list {
            sum += server.figure("sinew_deployments_succeeded").await?;
        }
        Ok(sum)
    }

    /// The processor time of servers and of the database so far, in seconds.
    fn processor_time(&self) -> Outcome<(f64, f64)> {
        let mut servers = 0.0;
        for server in &self.list {
            servers += processor::time_of(server.id())?;
        }
        Ok((servers, self.postgres.map_or(Ok(0.0), |postgres| processor::time_below(postgres.id()))?))
    }

    fn group_of(&self, number: u64) -> String {
        let group = number % self.groups;
        format!("/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/group{group}")
    }

    fn path(&self, number: u64) -> String {
        let group = self.group_of(number);
        format!("{group}/providers/Microsoft.Resources/deployments/d{number}?api-version=2025-04-01")
    }
}

/// Measures one store. Says whether the memory stayed flat.
async fn measure(
    state: &str,
    postgres: Option<&Postgres>,
    arguments: &Arguments,
    setup: &Setup,
    column: &mut Column,
) -> Outcome<bool> {
    let mut list = Vec::new();
    for _ in 0..setup.servers {
        list.push(Server::start(&arguments.program, state).await?);
    }
    let servers = Servers { list, postgres, groups: setup.groups() };
    for group in 0..servers.groups {
        let path = format!("{}?api-version=2025-04-01", servers.group_of(group));
        servers.of(group).put(&path, r#"{"location":"westeurope"}"#).await?;
    }
    fill(&servers, setup.stored, column).await?;
    lists(&servers, column).await?;
    large(&servers, column).await?;
    if arguments.load.is_zero() {
        return Ok(true);
    }
    let (mut reads, writes, memory) = load(&servers, setup.stored, arguments.load).await?;
    reads.sort_unstable();
    let seconds = arguments.load.as_secs_f64();
    column.add("GET while others deploy, median and p99", percentiles(&reads));
    column.add("these a second", format!("{:.0}", reads.len() as f64 / seconds));
    column.add("deployments a second meanwhile", format!("{:.0}", writes as f64 / seconds));
    let quarter = (memory.len() / 4).max(1);
    let first = median(memory.get(..quarter).unwrap_or_default());
    let last = median(memory.get(memory.len().saturating_sub(quarter)..).unwrap_or_default());
    let ratio = last / first;
    column
        .add("memory, first and last quarter", format!("{:.1} MB, {:.1} MB", first / 1024.0, last / 1024.0));
    Ok(ratio <= FLAT)
}

/// How long lists take, with nothing else to do.
async fn lists(servers: &Servers<'_>, column: &mut Column) -> Outcome<()> {
    let subscription = "/subscriptions/00000000-0000-0000-0000-000000000001";
    for (name, path) in [
        (
            "list of 100 deployments of a group, median and p99",
            "/providers/Microsoft.Resources/deployments?$top=100&api-version=2025-04-01",
        ),
        ("list of 100 groups, median and p99", "?$top=100&api-version=2025-04-01"),
        ("list of 100 resources of a group, median and p99", "/resources?$top=100&api-version=2025-04-01"),
    ] {
        let mut times = Vec::new();
        for number in 0..LISTS {
            let path = match name.contains(" groups") {
                true => format!("{subscription}/resourceGroups{path}"),
                false => format!("{}{path}", servers.group_of(number)),
            };
            let started = Instant::now();
            servers.of(number).get(&path).await?;
            times.push(started.elapsed());
        }
        times.sort_unstable();
        column.add(name, percentiles(&times));
    }
    Ok(())
}

/// Deployments of many resources that depend on one.
async fn large(servers: &Servers<'_>, column: &mut Column) -> Outcome<()> {
    let before = (Instant::now(), servers.succeeded().await?, servers.processor_time()?);
    for number in 0..LARGE_COUNT {
        let group = servers.group_of(number);
        let path = format!("{group}/providers/Microsoft.Resources/deployments/large?api-version=2025-04-01");
        servers.of(number).put(&path, &large_body()).await?;
    }
    while servers.succeeded().await? < before.1 + LARGE_COUNT {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (seconds, after) = (before.0.elapsed().as_secs_f64(), servers.processor_time()?);
    let resources = LARGE_COUNT as f64 * LARGE as f64;
    let title = format!("{LARGE_COUNT} deployments of {LARGE} resources: resources a second");
    column.add(&title, format!("{:.0}", resources / seconds));
    column.add(
        "processor time for each resource, servers and database",
        processor_times(before.2, after, resources),
    );
    Ok(())
}

fn large_body() -> String {
    let resource = |number: usize| {
        format!(
            r#"{{"type":"Microsoft.Web/sites","apiVersion":"2023-01-01","name":"large{number}","location":"westeurope",
              "dependsOn":["[resourceId('Microsoft.Web/serverfarms', 'large')]"],
              "properties":{{"serverFarmId":"[resourceId('Microsoft.Web/serverfarms', 'large')]"}}}}"#
        )
    };
    let resources: Vec<String> = (1..LARGE).map(resource).collect();
    format!(
        r#"{{"properties":{{"mode":"Incremental","template":{{
          "$schema":"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
          "contentVersion":"1.0.0.0","resources":[
          {{"type":"Microsoft.Web/serverfarms","apiVersion":"2023-01-01","name":"large","location":"westeurope","properties":{{}}}},
          {}]}}}}}}"#,
        resources.join(",")
    )
}

/// The processor time of servers and of the database for each of a number of things.
fn processor_times(before: (f64, f64), after: (f64, f64), count: f64) -> String {
    let each = |before: f64, after: f64| (after - before) * 1000.0 / count;
    format!("{:.2} + {:.2} ms", each(before.0, after.0), each(before.1, after.1))
}

fn percentiles(sorted: &[Duration]) -> String {
    let milliseconds = |share: f64| at(sorted, share).as_secs_f64() * 1000.0;
    format!("{:.2} ms, {:.1} ms", milliseconds(0.5), milliseconds(0.99))
}

fn at(sorted: &[Duration], share: f64) -> Duration {
    let index = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted.get(index as usize).copied().unwrap_or_default()
}

/// Stores deployments, and waits until the last one is done.
async fn fill(servers: &Servers<'_>, count: u64, column: &mut Column) -> Outcome<()> {
    let (started, before) = (Instant::now(), servers.processor_time()?);
    let next = AtomicU64::new(0);
    let client = async |client: u64| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Outcome::Ok(());
            }
            servers.of(client).put(&servers.path(number), &body(number)).await?;
        }
    };
    futures_util::future::try_join_all((0..CLIENTS).map(client)).await?;
    while servers.succeeded().await? < count {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (seconds, after) = (started.elapsed().as_secs_f64(), servers.processor_time()?);
    column.add("deployments a second, from PUT to done", format!("{:.0}", count as f64 / seconds));
    column.add("processor time for each, servers and database", processor_times(before, after, count as f64));
    Ok(())
}

/// Half of the clients read, the other half deploy again. Gives the time of every read, the number of deployments, and
/// what memory the first server had every half second, in KiB.
async fn load(
    servers: &Servers<'_>,
    stored: u64,
    duration: Duration,
) -> Outcome<(Vec<Duration>, u64, Vec<f64>)> {
    let over = AtomicBool::new(false);
    let read = async |client: u64| {
        let mut times = Vec::new();
        let mut number = client;
        while !over.load(Ordering::Relaxed) {
            // Steps of a large prime visit all of them in no order that a cache could follow.
            number = (number + 7919) % stored;
            let started = Instant::now();
            servers.of(client).get(&servers.path(number)).await?;
            times.push(started.elapsed());
        }
        Outcome::Ok(times)
    };
    let write = async |client: u64| {
        let mut done = 0;
        // Each has names of its own: a name whose deployment runs cannot be deployed again.
        let mut number = client;
        while !over.load(Ordering::Relaxed) {
            number = if number + CLIENTS / 2 < stored { number + CLIENTS / 2 } else { client };
            done += u64::from(servers.of(client).try_put(&servers.path(number), &body(number)).await?);
        }
        Outcome::Ok(done)
    };
    let watch = async {
        let started = Instant::now();
        let mut memory = Vec::new();
        while started.elapsed() < duration {
            memory.push(servers.of(0).memory()?);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        over.store(true, Ordering::Relaxed);
        Outcome::Ok(memory)
    };
    let half = 0..CLIENTS / 2;
    let (times, done, memory) = tokio::try_join!(
        futures_util::future::try_join_all(half.clone().map(read)),
        futures_util::future::try_join_all(half.map(write)),
        watch,
    )?;
    Ok((times.concat(), done.iter().sum(), memory))
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
    let mut found = Arguments {
        program: target.join("release/sinew"),
        stored: vec![10_000],
        load: Duration::from_secs(30),
        servers: vec![1],
        only: None,
    };
    let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = given.next() {
        let mut numbers = |least: u64| -> Vec<u64> {
            let text = given.next().unwrap_or_default();
            text.split(',')
                .filter_map(|text| text.parse().ok())
                .map(|number: u64| number.max(least))
                .collect()
        };
        match argument.as_str() {
            "--stored" => found.stored = numbers(CLIENTS),
            "--servers" => found.servers = numbers(1),
            "--seconds" => found.load = Duration::from_secs(numbers(0).first().copied().unwrap_or_default()),
            "--only" => found.only = given.next(),
            program => found.program = PathBuf::from(program),
        }
    }
    found
}
