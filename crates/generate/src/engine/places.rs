//! Where a script is. The engine cannot be asked while it is inside one of its own functions, so a run that was started
//! only to find the place ([`crate::Settings::announces_places`]) tells the host before every statement and call.

use std::rc::Rc;
use std::sync::Arc;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Function, Value};

use super::{RunState, Shared};
use crate::host::Place;
use crate::paths;
use crate::session::Session;
use crate::typescript::{self, Announced};

/// The global function that scripts call then.
const FUNCTION: &str = "$sinewAnnounce";

/// Gives scripts the function that tells the host where they are. It answers with its second argument.
pub(super) fn install<'js>(
    ctx: &Ctx<'js>,
    session: &Rc<Session>,
    shared: &Rc<Shared>,
) -> rquickjs::Result<()> {
    let (session, shared) = (Rc::clone(session), Rc::clone(shared));
    let announce =
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, number: usize, value: Opt<Value<'js>>| {
            if let Some(place) = shared.places.borrow().get(number) {
                session.host.reach(place);
            }
            value.0.unwrap_or_else(|| Value::new_undefined(ctx))
        })?;
    ctx.globals().set(FUNCTION, announce)
}

/// The text of a module of the user, with calls of that function where the run wants them.
pub(super) fn announced(state: RunState<'_>, name: &str, text: String) -> String {
    let RunState { session, shared } = state;
    if !session.settings.announces_places {
        return text;
    }
    let mut places = shared.places.borrow_mut();
    let Some(Announced { text, positions }) = typescript::announce(name, &text, FUNCTION, places.len())
    else {
        return text;
    };
    let file = paths::display(name, &session.settings.folder);
    places.extend(positions.iter().map(|position| {
        let &typescript::Position { line, column } = position;
        Arc::new(Place { file: file.to_owned(), line, column })
    }));
    text
}
