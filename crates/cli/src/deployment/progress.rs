//! How a deployment goes: on a terminal a tree that changes in place, elsewhere a line for each change.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use deploy::{DeploymentId, State};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value as Json;

use super::target::DeploymentTarget;
use crate::failure::Failure;
use crate::session::Session;

/// How often a deployment is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for the end of a deployment and shows what happens meanwhile. Gives the deployment.
pub(crate) async fn watch(
    target: &DeploymentTarget,
    id: &DeploymentId,
    session: &Session,
) -> Result<Json, Failure> {
    let mut view = View::new(session);
    let mut cancelled = false;
    loop {
        let deployment = target.get(id).await.map_err(|error| Failure::deployment(&error))?;
        let mut lines = Vec::new();
        collect(target, id, 1, &mut lines).await?;
        view.show(id, State::of_document(&deployment), &lines)?;
        if State::of_document(&deployment).is_some_and(State::is_over) {
            view.end()?;
            return Ok(deployment);
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = tokio::signal::ctrl_c(), if !cancelled => {
                cancelled = true;
                // If it is over by now, there is nothing to stop.
                let _ = target.cancel(id).await;
            }
        }
    }
}

/// One operation.
struct Line {
    key: String,
    depth: usize,
    /// The resource.
    what: String,
    /// What is done to it.
    kind: String,
    state: Option<State>,
}

/// The operations of a deployment and of those inside it.
async fn collect(
    target: &DeploymentTarget,
    id: &DeploymentId,
    depth: usize,
    into: &mut Vec<Line>,
) -> Result<(), Failure> {
    let operations = match target.operations(id).await {
        Ok(operations) => operations,
        // A deployment inside may not have begun.
        Err(error) if error.status == 404 => return Ok(()),
        Err(error) => return Err(Failure::deployment(&error)),
    };
    for operation in operations {
        let text = |path: &str| operation.pointer(path).and_then(Json::as_str);
        let Some(of) = text("/properties/targetResource/resourceType") else { continue };
        let resource = text("/properties/targetResource/id");
        let name = text("/properties/targetResource/resourceName");
        let name = name.or_else(|| text("/properties/targetResource/symbolicName")).unwrap_or_default();
        into.push(Line {
            key: format!("{id}{}", text("/operationId").unwrap_or_default()),
            depth,
            what: format!("{of} {name}"),
            kind: text("/properties/provisioningOperation").unwrap_or_default().to_owned(),
            state: State::of_document(&operation),
        });
        if let Some(inner) = resource.and_then(DeploymentId::parse) {
            Box::pin(collect(target, &inner, depth + 1, into)).await?;
        }
    }
    Ok(())
}

/// What people see.
struct View<'s> {
    session: &'s Session,
    /// The states that were told.
    told: HashMap<String, Option<State>>,
    tree: Option<Tree>,
}

/// A tree on a terminal.
struct Tree {
    all: MultiProgress,
    bars: BTreeMap<String, ProgressBar>,
    last: Option<ProgressBar>,
}

impl<'s> View<'s> {
    fn new(session: &'s Session) -> Self {
        let tree = session.output.is_terminal.then(|| Tree {
            all: MultiProgress::with_draw_target(ProgressDrawTarget::stderr()),
            bars: BTreeMap::new(),
            last: None,
        });
        Self { session, told: HashMap::new(), tree }
    }

    fn show(&mut self, id: &DeploymentId, state: Option<State>, lines: &[Line]) -> Result<(), Failure> {
        let own = Line {
            key: id.to_string(),
            depth: 0,
            what: format!("deployment {}", id.name),
            kind: String::new(),
            state,
        };
        // In a tree a deployment stands above its resources; in lines its end comes after theirs.
        let is_over = self.tree.is_none() && state.is_none_or(State::is_over);
        let (before, after) = if is_over { (None, Some(&own)) } else { (Some(&own), None) };
        for line in before.into_iter().chain(lines).chain(after) {
            if self.told.get(&line.key) == Some(&line.state) {
                self.tree.iter_mut().for_each(|tree| tree.pass(&line.key));
                continue;
            }
            self.told.insert(line.key.clone(), line.state);
            match &mut self.tree {
                Some(tree) => tree.show(line, self.session.output.colour),
                None => self.session.output.talk(&format!("{}\n", text(line, false)))?,
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<(), Failure> {
        let Some(tree) = &self.tree else { return Ok(()) };
        tree.bars.values().for_each(ProgressBar::abandon);
        // The last line of the tree has no end.
        self.session.output.talk("\n")
    }
}

impl Tree {
    /// A line that stays as it is: what is new comes after it.
    fn pass(&mut self, key: &str) {
        self.last = self.bars.get(key).cloned().or(self.last.take());
    }

    fn show(&mut self, line: &Line, colour: bool) {
        let bar = match self.bars.get(&line.key) {
            Some(bar) => bar.clone(),
            None => {
                let bar = ProgressBar::new_spinner();
                let bar = match &self.last {
                    Some(last) => self.all.insert_after(last, bar),
                    None => self.all.add(bar),
                };
                if let Ok(style) = ProgressStyle::with_template("{msg}") {
                    bar.set_style(style);
                }
                self.bars.insert(line.key.clone(), bar.clone());
                bar
            }
        };
        bar.set_message(text(line, colour));
        bar.tick();
        self.last = Some(bar);
    }
}

fn text(line: &Line, colour: bool) -> String {
    let (mark, shade) = match line.state {
        Some(State::Succeeded) => ("✓", AnsiColor::Green),
        Some(State::Failed) => ("✗", AnsiColor::Red),
        Some(State::Canceled) => ("-", AnsiColor::Yellow),
        _ => ("…", AnsiColor::Cyan),
    };
    let style = if colour { shade.on_default() } else { Style::new() };
    let kind = if line.kind == "Delete" { "delete " } else { "" };
    let state = line.state.map_or("", State::name).to_lowercase();
    format!("{:indent$}{style}{mark} {kind}{}: {state}{style:#}", "", line.what, indent = line.depth * 2)
}
