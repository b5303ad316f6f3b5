//! `sinew console`: expressions tried one after the other, typed by somebody or piped in.

mod editor;

use std::io::{self, BufRead as _, IsTerminal as _};

use base::FileReport;

use crate::VERSION;
use crate::commands::eval::SubjectArgs;
use crate::evaluation::show::{self, Language};
use crate::evaluation::workbench::{Answer, Workbench, is_complete, is_type};
use crate::failure::Failure;
use crate::names::Name;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

use editor::{Editor, Line};

const EXAMPLES: &str = "\
Examples:
  sinew console
  sinew console --template main.bicep --parameters values.json
  echo \"concat('a', 'b')\" | sinew console

Enter Bicep expressions, template expressions in `[…]`, or `var`, `func`,
`type`, `param` and `import` declarations. Incomplete input continues on the
next line; an empty line ends it.";

/// Evaluate expressions interactively
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    subject: SubjectArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let mut workbench = match args.subject.workbench(session)? {
        Ok(workbench) => workbench,
        Err(reports) => {
            return report::write(session, &reports, DiagnosticsFormat::Text).map(|()| Status::Findings);
        }
    };
    if io::stdin().is_terminal() {
        interactive(&mut workbench, session)
    } else {
        piped(&mut workbench, session)
    }
}

const WELCOME: &str = "Type `help` for what can be entered, `exit` or Ctrl+D to leave.\n";

const HELP: &str = "\
An expression is evaluated:          concat('a', 'b')      [uniqueString('a')]
A declaration is kept:               var name = 'x'        func double(n int) int => n * 2
Commands:                            help   clear   exit
";

fn interactive(workbench: &mut Workbench<'_>, session: &Session) -> Outcome {
    session.output.data(&format!("{} console {VERSION}\n{WELCOME}", session.name.text()))?;
    let mut editor = Editor::new()?;
    loop {
        let text = match editor.read()? {
            Line::Text(text) => text,
            Line::Dropped => continue,
            Line::End => return Ok(Status::Clean),
        };
        match text.trim().to_ascii_lowercase().as_str() {
            "exit" | "quit" => return Ok(Status::Clean),
            "clear" => editor.clear()?,
            "help" => session.output.data(HELP)?,
            _ => say(workbench, &text, session)?,
        }
    }
}

/// Lines from a pipe. What is wrong with one of them does not end the others.
fn piped(workbench: &mut Workbench<'_>, session: &Session) -> Outcome {
    let mut buffer = String::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::unreadable_input(&error))?;
        // A type may go on with `|` in a line of its own, although it seemed to be complete.
        if !line.trim_start().starts_with('|')
            && !buffer.is_empty()
            && is_type(&buffer)
            && is_complete(&buffer)
        {
            say(workbench, &std::mem::take(&mut buffer), session)?;
        }
        buffer.push_str(&line);
        buffer.push('\n');
        if line.trim().is_empty() || is_complete(&buffer) && !is_type(&buffer) {
            say(workbench, &std::mem::take(&mut buffer), session)?;
        }
    }
    if !buffer.is_empty() {
        say(workbench, &buffer, session)?;
    }
    Ok(Status::Clean)
}

/// Evaluates a text and says what came out.
fn say(workbench: &mut Workbench<'_>, text: &str, session: &Session) -> Result<(), Failure> {
    // The Bicep CLI knows no template expressions.
    let language = (session.name == Name::Bicep).then_some(Language::Bicep);
    let wrong = |reports: &[FileReport]| report::write(session, reports, DiagnosticsFormat::Text);
    match workbench.take(text, language) {
        Ok(Answer::Nothing) => Ok(()),
        Ok(Answer::Declared(reports) | Answer::Wrong(reports)) => wrong(&reports),
        Ok(Answer::Value(answer)) => {
            session.output.data(&show::value(&answer.outcome.value, answer.language))?;
            session.output.talk(&show::gaps(&answer.outcome.unknowns))?;
            wrong(&answer.undetermined)
        }
        Err(Failure::Closed) => Err(Failure::Closed),
        Err(failure) => {
            session.output.failure(&failure);
            Ok(())
        }
    }
}
