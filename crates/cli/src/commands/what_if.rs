//! `sinew what-if`: what a deployment would change.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use serde_json::Value as Json;

use crate::deployment::target::DeploymentTarget;
use crate::deployment::{self, DeploymentArgs, errors};
use crate::report::Reporter;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew what-if main.bicep
  sinew what-if prod.bicepparam --input region=westeurope
  sinew what-if main.bicep --complete --all
  sinew what-if main.bicep --json

Checks that need values of the deployment are undetermined: they are reported
on standard error and counted.";

/// Show what a deployment would change
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    deployment: DeploymentArgs,

    /// Also list unchanged resources
    #[arg(long)]
    all: bool,

    /// Print the API response as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let reporter = Reporter::new(session, args.deployment.diagnostics_format);
    let outcome = work(args, &reporter, session);
    reporter.finish(outcome)
}

fn work(args: &Args, reporter: &Reporter<'_>, session: &Session) -> Outcome {
    let deployment = &args.deployment;
    let prepared = deployment::prepare(deployment, reporter, session)?;
    let Some(prepared) = prepared else { return Ok(Status::Findings) };
    deployment::drive(async {
        let target = DeploymentTarget::open_to_look(&deployment.target, &prepared, session).await?;
        let answer = target.what_if(&prepared).await;
        target.close().await;
        match answer {
            Ok(answer) => {
                let open = answer.pointer("/properties/diagnostics");
                reporter.tell(errors::undetermined(open, &prepared.source))?;
                let shown =
                    if args.json { json::to_pretty(&answer) + "\n" } else { text(&answer, args.all, false) };
                session.output.data(&shown)?;
            }
            Err(error) => {
                reporter.tell(errors::reports(&error, &prepared.source))?;
                return Ok(Status::Findings);
            }
        }
        Ok(Status::Clean)
    })
}

/// The changes, a line for each resource and below it a line for each difference.
fn text(answer: &Json, all: bool, colour: bool) -> String {
    let mut text = String::new();
    let mut counts =
        [("create", 0), ("modify", 0), ("delete", 0), ("unchanged", 0), ("unknown", 0), ("perhaps", 0)];
    for (member, perhaps) in [("changes", false), ("potentialChanges", true)] {
        let changes = answer.pointer(&format!("/properties/{member}")).and_then(Json::as_array);
        for change in changes.into_iter().flatten() {
            let kind = change.get("changeType").and_then(Json::as_str).unwrap_or_default();
            let (mark, shade, at) = match kind {
                "Create" => ('+', Some(AnsiColor::Green), Some(0)),
                "Modify" | "Deploy" => ('~', Some(AnsiColor::Yellow), Some(1)),
                "Delete" => ('-', Some(AnsiColor::Red), Some(2)),
                "NoChange" => ('=', None, Some(3)),
                "Unsupported" => ('?', None, Some(4)),
                _ => ('*', None, None),
            };
            let at = if perhaps { Some(5) } else { at };
            if let Some((_, count)) = at.and_then(|at: usize| counts.get_mut(at)) {
                *count += 1;
            }
            if !all && matches!(kind, "NoChange" | "Ignore") {
                continue;
            }
            let style = shade.filter(|_| colour).map_or_else(Style::new, AnsiColor::on_default);
            let doubt = if perhaps { " (perhaps)" } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{style}{mark} {}{doubt}{style:#}", name(change));
            if let Some(reason) = change.get("unsupportedReason").and_then(Json::as_str) {
                let _ = writeln!(text, "    {reason}");
            }
            differences(change.get("delta"), 1, &mut text);
        }
    }
    // What is rare is only counted when it occurs.
    let told = counts.iter().enumerate().filter(|(at, (_, count))| *at < 4 || *count > 0);
    let mut counts: Vec<String> = told.map(|(_, (what, count))| format!("{count} {what}")).collect();
    let open = answer.pointer("/properties/diagnostics").and_then(Json::as_array).map_or(0, Vec::len);
    if open > 0 {
        let checks = if open == 1 { "check" } else { "checks" };
        counts.push(format!("{open} {checks} undetermined"));
    }
    let _ = writeln!(text, "{}", counts.join(", "));
    text
}

fn differences(delta: Option<&Json>, depth: usize, text: &mut String) {
    for difference in delta.and_then(Json::as_array).into_iter().flatten() {
        let path = difference.get("path").and_then(Json::as_str).unwrap_or_default();
        let part = |name: &str| difference.get(name).filter(|value| !value.is_null()).map(json::to_compact);
        let line = match (
            difference.get("propertyChangeType").and_then(Json::as_str),
            part("before"),
            part("after"),
        ) {
            (Some("Create"), _, after) => format!("+ {path}: {}", after.unwrap_or_default()),
            (Some("Delete"), before, _) => format!("- {path}: {}", before.unwrap_or_default()),
            (_, Some(before), Some(after)) => format!("~ {path}: {before} => {after}"),
            _ => format!("~ {path}:"),
        };
        let _ = writeln!(text, "{:indent$}{line}", "", indent = depth * 4);
        differences(difference.get("children"), depth + 1, text);
    }
}

/// The id without the scope that all have in common. Resources of extensions have a type and a symbolic name.
fn name(change: &Json) -> String {
    let text = |name: &str| change.get(name).and_then(Json::as_str);
    match text("resourceId") {
        Some(id) => id.rsplit_once("/providers/").map_or(id, |(_, rest)| rest).to_owned(),
        None => {
            [text("resourceType"), text("symbolicName")].into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn changes_are_told_in_lines() {
        let id = |name: &str| format!("/subscriptions/s/resourceGroups/g/providers/A.B/c/{name}");
        let answer = json!({ "properties": { "changes": [
            { "resourceId": id("new"), "changeType": "Create" },
            { "resourceId": id("old"), "changeType": "Modify", "delta": [
                { "path": "properties.n", "propertyChangeType": "Modify", "before": 1, "after": 2 },
                { "path": "tags.x", "propertyChangeType": "Create", "after": "y" },
                { "path": "properties.l", "propertyChangeType": "Array", "children": [
                    { "path": "0", "propertyChangeType": "Delete", "before": "z" } ] },
            ] },
            { "resourceId": id("same"), "changeType": "NoChange" },
            { "resourceId": id("gone"), "changeType": "Delete" },
            { "resourceType": "Note", "symbolicName": "first", "changeType": "Unsupported",
              "unsupportedReason": "Nobody knows." },
        ], "potentialChanges": [{ "resourceId": id("late"), "changeType": "Create" }] } });
        expect![[r#"
            + A.B/c/new
            ~ A.B/c/old
                ~ properties.n: 1 => 2
                + tags.x: "y"
                ~ properties.l:
                    - 0: "z"
            - A.B/c/gone
            ? Note first
                Nobody knows.
            + A.B/c/late (perhaps)
            1 create, 1 modify, 1 delete, 1 unchanged, 1 unknown, 1 perhaps
        "#]]
        .assert_eq(&text(&answer, false, false));
        assert!(text(&answer, true, false).contains("= A.B/c/same\n"));
    }
}
