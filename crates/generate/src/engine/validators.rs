//! Calls of validation functions. A function and a value come in; its answer, or why there is none, goes out. Each call
//! has a time limit of its own, which covers everything the function awaits.

use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Function, Object, Promise, Value};

use super::{Shared, errors};
use crate::host::Watched;
use crate::messages;
use crate::session::Session;

/// A validation function, what it is to check, and for which file.
pub(super) struct Call<'js> {
    pub(super) function: Function<'js>,
    pub(super) value: Value<'js>,
    pub(super) path: String,
    /// `Promise.resolve`, as it was before a script could replace it.
    pub(super) to_promise: Function<'js>,
}

/// Calls a validation function: `{result}` with an answer that is not a promise, or `{reason}`.
pub(super) fn call<'js>(
    ctx: &Ctx<'js>,
    session: &Session,
    shared: &Shared,
    call: &Call<'js>,
) -> rquickjs::Result<Value<'js>> {
    let outer = shared.deadline.get();
    let limit = session.settings.limits.validator.time;
    let object = Object::new(ctx.clone())?;
    let number = session.validator_calls.get() + 1;
    session.validator_calls.set(number);
    let ended = &session.settings.ended_validators;
    if ended.last().is_some_and(|call| call.number == number) {
        session.host.unmute();
    }
    if let Some(call) = ended.iter().find(|call| call.number == number) {
        let overrun = messages::validator_overrun(limit);
        object.set("reason", messages::inside_built_in(&overrun, call.place.as_deref()))?;
        return Ok(object.into_value());
    }
    let inner = session.host.elapsed().saturating_add(limit).min(outer);
    shared.deadline.set(inner);
    session.host.watch(limit, &|| {
        let message = format!("{}: {}", call.path, messages::validator_overrun(limit));
        Watched { message, validator_call: Some(number) }
    });
    let result = answer(ctx, session, shared, call);
    session.host.unwatch();
    shared.deadline.set(outer);

    let now = session.host.elapsed();
    if now > outer {
        // The whole script is late, not only this check.
        return match result {
            Err(error) => Err(error),
            Ok(_) => Ok(object.into_value()),
        };
    }
    if now > inner || shared.is_overrun.get() {
        shared.is_overrun.set(false);
        ctx.catch();
        object.set("reason", messages::validator_overrun(limit))?;
        return Ok(object.into_value());
    }
    match result {
        Ok(Some(result)) => object.set("result", result)?,
        Ok(None) => object.set("reason", messages::VALIDATOR_NEVER_SETTLES)?,
        Err(error) => {
            let error = errors::from_error(session, shared, ctx, &error);
            object.set("reason", messages::validator_threw(&error))?;
        }
    }
    Ok(object.into_value())
}

/// The answer of the function; nothing if it is a promise that never settles.
fn answer<'js>(
    ctx: &Ctx<'js>,
    session: &Session,
    shared: &Shared,
    call: &Call<'js>,
) -> rquickjs::Result<Option<Value<'js>>> {
    let result: Value<'js> = call.function.call((call.value.clone(),))?;
    let is_thenable = result
        .as_object()
        .is_some_and(|object| object.get::<_, Value<'js>>("then").is_ok_and(|then| then.is_function()));
    if !is_thenable {
        return Ok(Some(result));
    }
    let promise: Promise<'js> = call.to_promise.call((result,))?;
    while promise.state() == PromiseState::Pending {
        if session.host.elapsed() > shared.deadline.get() {
            shared.is_overrun.set(true);
        }
        if shared.is_overrun.get() {
            return Ok(None);
        }
        if !ctx.execute_pending_job() && !shared.run_next_timer(ctx)? {
            return Ok(None);
        }
    }
    shared.forget_rejection(ctx, promise.as_value());
    promise.result().transpose()
}
